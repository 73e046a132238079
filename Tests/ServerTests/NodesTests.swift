import Foundation
import JSON
import Server
import Testing

@Suite("Many nodes")
struct NodesTests {
    // MARK: Listening

    /// With a round that never comes, so that only what the nodes tell one another can do it.
    @Test func `what happens through one node the listeners of all are told at once`() async throws {
        try await TestServer.runNodes(3, pace: .every(.seconds(600))) { nodes in
            try Self.untilHeard(nodes)
            let guest = try nodes[0].guest()
            let streams = try nodes.map { try EventStream($0, guest.idToken) }
            for stream in streams { try stream.ready() }
            for number in 1...6 {
                try nodes[number % 3].set("notes/a", guest.idToken, ["n": .string("\(number)")])
                for stream in streams {
                    let change = try stream.change(within: 1)
                    #expect(change.id == Int64(number))
                    #expect(change.data["document"] == ["n": .string("\(number)")])
                }
            }
            _ = try nodes[1].call("accounts:delete", ["idToken": .string(guest.idToken)])
            for stream in streams { #expect(try stream.end(within: 1)["reason"] == "user.deleted") }
        }
    }

    @Test func `a merge through one node ends the guest's streams and feeds the other's on all`() async throws {
        try await TestServer.runNodes(2, pace: .every(.seconds(600))) { nodes in
            try Self.untilHeard(nodes)
            let guest = try nodes[0].guest()
            let ann = try nodes[0].guest()
            let made = try nodes[1].admin("accounts:update", ["localId": .string(ann.uid), "email": "ann@example.com"])
            #expect(made.status == 200, "\(made.text)")
            try nodes[0].set("notes/a", guest.idToken)
            let leaving = try EventStream(nodes[1], guest.idToken)
            try leaving.ready()
            let staying = try EventStream(nodes[1], ann.idToken)
            try staying.ready()
            let merged = try nodes[0].call(
                "accounts:merge",
                ["idToken": .string(ann.idToken), "anonymousIdToken": .string(guest.idToken)]
            )
            #expect(merged.status == 200, "\(merged.text)")
            let end = try leaving.end(within: 1)
            #expect(end["mergedInto"] == ann.uid)
            #expect(try staying.change(within: 1)["collection"] == "notes")
        }
    }

    @Test func `without a way to hear one another it takes a round`() async throws {
        let deaf = ["POSTGRESQL_LISTEN_URL": "postgresql://nobody@127.0.0.1:1/none"]
        try await TestServer.runNodes(2, deaf) { nodes in
            let guest = try nodes[0].guest()
            let stream = try EventStream(nodes[1], guest.idToken)
            try stream.ready()
            for number in 1...3 {
                try nodes[0].set("notes/a", guest.idToken)
                #expect(try stream.change(within: 2).id == Int64(number))
            }
            try nodes[0].eventually("a line in the log") { nodes[0].log.contains("other nodes are not heard") }
            #expect(nodes[0].log.all.allSatisfy { !$0.contains("nobody:") })
        }
    }

    @Test func `connections that are cut again and again cost no change`() async throws {
        try await TestServer.runNodes(2) { nodes in
            let guest = try nodes[0].guest()
            let stream = try EventStream(nodes[1], guest.idToken)
            try stream.ready()
            for number in 1...9 {
                if number % 3 == 0 {
                    try nodes[0].psql(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE application_name = 'latchkey news' AND datname = current_database()
                        """
                    )
                }
                try nodes[0].set("notes/a", guest.idToken)
                #expect(try stream.change(within: 2).id == Int64(number))
            }
        }
    }

    @Test func `while the database stalls streams are kept alive, and afterwards nothing is missing`() async throws {
        let pace = Changes.Pace.every(.milliseconds(100), heartbeat: .milliseconds(300))
        try await TestServer.runNodes(1, pace: pace) { nodes in
            let guest = try nodes[0].guest()
            let stream = try EventStream(nodes[0], guest.idToken)
            try stream.ready()
            let lock = "BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT"
            let stalling = Thread { _ = try? nodes[0].psql(lock) }
            stalling.start()
            usleep(300_000)
            let before = stream.heartbeats
            #expect(stream.isSilent(for: 2))
            #expect(stream.heartbeats - before >= 4)
            try nodes[0].set("notes/a", guest.idToken)
            #expect(try stream.change(within: 5).id == 1)
        }
    }

    @Test func `a node whose database stalls ends its streams at once when it stops`() async throws {
        try await TestServer.runNodes(1, pace: .every(.milliseconds(100))) { nodes in
            let guest = try nodes[0].guest()
            let stream = try EventStream(nodes[0], guest.idToken)
            try stream.ready()
            let lock = "BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(4); COMMIT"
            let stalling = Thread { _ = try? nodes[0].psql(lock) }
            stalling.start()
            usleep(500_000)
            let stopping = Thread { nodes[0].stop() }
            stopping.start()
            #expect(try stream.end(within: 1)["reason"] == "server.stopping")
        }
    }

    // MARK: Limits

    @Test func `an address gets so many mails an hour through all nodes together`() async throws {
        try await TestServer.runNodes(2, ["LIMITS_MAILS_PER_ADDRESS": "4"]) { nodes in
            func ask(_ node: Int, from source: String) throws -> Answer {
                try nodes[node].call(
                    "accounts:sendOobCode",
                    ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"],
                    from: source
                )
            }
            #expect(try ask(0, from: "127.0.0.1").status == 200)
            #expect(try ask(1, from: "127.0.0.1").status == 200)
            for node in 0..<2 { #expect(try ask(node, from: "127.0.0.1").code == "TOO_MANY_ATTEMPTS_TRY_LATER") }
            #expect(try ask(1, from: "127.0.0.2").status == 200)
            #expect(try ask(0, from: "127.0.0.2").status == 200)
            for node in 0..<2 { #expect(try ask(node, from: "127.0.0.3").code == "TOO_MANY_ATTEMPTS_TRY_LATER") }
        }
    }

    @Test func `a ticket takes five wrong codes, however many nodes they are tried on at once`() async throws {
        try await TestServer.runNodes(3) { nodes in
            let answer = try nodes[0].call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            )
            let ticket = answer["ticket"]
            let guesses = (0..<20).map { number in
                (
                    "accounts:signInWithTicket",
                    ["ticket": .string(ticket), "code": .string("00000\(number % 10)")] as JSONValue
                )
            }
            let trying = DispatchGroup()
            for node in nodes {
                trying.enter()
                Thread.detachNewThread {
                    defer { trying.leave() }
                    for answer in (try? node.callAtOnce(guesses)) ?? [] { #expect(answer.status >= 400) }
                }
            }
            trying.wait()
            let counted = try nodes[0].psql("SELECT max(wrong_codes) FROM tickets").trimmingCharacters(in: .newlines)
            #expect(counted == "5")
            for node in nodes {
                #expect(try node.redeemTicket(ticket, code: "123456").code == "TICKET_ENDED")
            }
        }
    }

    @Test func `an address takes twenty wrong codes a day through all nodes together`() async throws {
        try await TestServer.runNodes(2, ["LIMITS_MAILS_PER_ADDRESS": "100"]) { nodes in
            var wrong = 0
            for round in 0..<5 {
                let asked = try nodes[round % 2].call(
                    "accounts:sendOobCode",
                    ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
                )
                #expect(asked.status == 200)
                for guess in 0..<5 {
                    let answer = try nodes[(round + guess) % 2].redeemTicket(asked["ticket"], code: "00000\(guess)")
                    if answer.code == "TOO_MANY_ATTEMPTS_TRY_LATER" { continue }
                    wrong += 1
                }
            }
            #expect(wrong == 20)
        }
    }

    // MARK: What every node goes by

    @Test func `a link that was approved through one node is collected through another`() async throws {
        try await TestServer.runNodes(2) { nodes in
            let asked = try nodes[0].call(
                "accounts:sendOobCode",
                ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"]
            )
            // Whichever node sends the mail has it in its own mailbox.
            var mail: Mail?
            try nodes[0].eventually("the mail") {
                mail = try nodes.lazy.compactMap { try $0.messages().first }.first
                return mail != nil
            }
            let code = try #require(mail).parameter("oobCode")
            #expect(try nodes[0].redeemTicket(asked["ticket"]).code == "TICKET_PENDING")
            let approved = try nodes[1].answerLink(code, "approve", "&confirmation=\(asked["confirmation"])")
            #expect(approved.status == 200, "\(approved.text)")
            #expect(try nodes[0].redeemTicket(asked["ticket"]).status == 200)
        }
    }

    @Test func `keys, settings and administrators that change are the same on all nodes within five seconds`()
        async throws
    {
        try await TestServer.runNodes(2) { nodes in
            func keys(_ node: TestServer) throws -> Set<String> {
                let list = try node.send("GET", "/.well-known/jwks.json").json["keys"]?.array ?? []
                return Set(list.compactMap { $0["kid"]?.string })
            }
            let before = try keys(nodes[0])
            let rotated = Date()
            try nodes[0].withOperator { _ = try $0.rotateKeys(algorithm: nil) }
            for node in nodes {
                try node.eventually("the new key") { try keys(node).count == before.count + 1 }
                #expect(try keys(node).isSuperset(of: before))
            }
            #expect(Date().timeIntervalSince(rotated) < 5)
            // A token of either is good on both.
            for (issuer, verifier) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
                #expect(try verifier.lookup(issuer.guest().idToken).status == 200)
            }
            // What stands in the database is asked each time.
            let path = "/v2/projects/demo-latchkey/config"
            let owner = ["Authorization: Bearer owner", "Content-Type: application/json"]
            for (number, isOn) in [false, true, false].enumerated() {
                let body = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(isOn)]] as JSONValue
                let changed = try nodes[number % 2].send("PATCH", path, headers: owner, body: body.serialized())
                #expect(changed.status == 200, "\(changed.text)")
                let seen = try nodes[(number + 1) % 2].send("GET", path, headers: owner)
                #expect(seen.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == .bool(isOn))
            }
        }
    }

    /// Waits until each node hears the others: a start takes a moment.
    private static func untilHeard(_ nodes: [TestServer]) throws {
        let listening =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'latchkey news' AND datname = current_database()"
        try nodes[0].eventually("all nodes listen") { try nodes[0].psql(listening) == "\(nodes.count)\n" }
        usleep(200_000)
    }
}
