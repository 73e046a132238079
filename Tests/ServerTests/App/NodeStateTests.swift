import Foundation
import JSON
import PostgreSQLHarness
import Testing

@testable import Server

@Suite("State shared by all nodes", .enabled(if: TestDatabase.isEnginesTurn))
struct NodeStateTests {
    @Test func `an address gets so many mails an hour through all nodes together`() async throws {
        try await TestServer.runNodes(2, ["LIMITS_MAILS_PER_ADDRESS": "8"]) { nodes in
            let asked = try [(0, 1), (1, 1), (0, 2), (1, 3), (0, 4), (1, 4), (0, 1), (1, 1)].map { node, client in
                try Self.ask(nodes[node], from: "127.0.0.\(client)").status
            }
            // Half of them, for all unknown clients together.
            #expect(asked == [200, 200, 200, 200, 429, 429, 429, 429])
        }
    }

    @Test func `a ticket takes three wrong codes, however many nodes they are tried on at once`() async throws {
        try await TestServer.runNodes(3) { nodes in
            let answer = try Self.ask(nodes[0])
            let ticket = answer["ticket"]
            try nodes[0].waitUntilMailsAreFinished()
            let guesses = (0..<20).map { number in
                (
                    "accounts:signInWithTicket",
                    ["ticket": .string(ticket), "code": .string("0000000\(number % 10)")] as JSONValue
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
            #expect(counted == "3")
            for node in nodes {
                #expect(try node.redeemTicket(ticket, code: "12345678").code == "TICKET_ENDED")
            }
        }
    }

    @Test func `an address takes twenty wrong codes a day from one client through all nodes together`() async throws {
        try await TestServer.runNodes(2, ["LIMITS_MAILS_PER_ADDRESS": "100"]) { nodes in
            var wrong = 0
            for round in 0..<8 {
                let asked = try Self.ask(nodes[round % 2])
                #expect(asked.status == 200)
                for guess in 0..<3 {
                    let answer = try nodes[(round + guess) % 2].redeemTicket(asked["ticket"], code: "0000000\(guess)")
                    if answer.code == "TOO_MANY_ATTEMPTS_TRY_LATER" { continue }
                    wrong += 1
                }
            }
            #expect(wrong == 20)
        }
    }

    @Test func `a link that was approved through one node is collected through another`() async throws {
        try await TestServer.runNodes(2) { nodes in
            let asked = try TestServer.askForLink("ann@example.com", nodes)
            #expect(try nodes[0].redeemTicket(asked.ticket).code == "TICKET_PENDING")
            let approved = try nodes[1].answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            #expect(approved.status == 200, "\(approved.text)")
            #expect(try nodes[0].redeemTicket(asked.ticket).status == 200)
        }
    }

    @Test func `keys, settings and administrators that change are the same on all nodes within five seconds`()
        async throws
    {
        try await TestServer.runNodes(2) { nodes in
            // These nodes check more often; all others check often enough, with a second for the check itself.
            #expect(Housekeeping.keyInterval(InstanceEnvironment().housekeepingInterval) <= .seconds(4))
            let before = try Self.keys(nodes[0])
            try nodes[0].withOperator { _ = try $0.rotateKeys(algorithm: nil) }
            for node in nodes {
                try node.eventually("the new key") { try Self.keys(node).count == before.count + 1 }
                #expect(try Self.keys(node).isSuperset(of: before))
            }
            // A token of either node is valid on both.
            for (issuer, verifier) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
                #expect(try verifier.lookup(issuer.guest().idToken).status == 200)
            }
            // A request's head is checked against what the node knows.
            let guest = try nodes[0].guest()
            for isAdministrator in [false, true, false] {
                try nodes[0].withOperator { try $0.setAdministrator(isAdministrator, guest.uid) }
                try nodes[1].eventually("the administrator") {
                    let answer = try nodes[1].admin("accounts:batchCreate", as: guest.idToken)
                    return isAdministrator == (answer.status != 401)
                }
            }
            // Values in the database are read each time.
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

    /// Requests a sign-in e-mail.
    private static func ask(_ node: TestServer, from source: String? = nil) throws -> Answer {
        try node.call(
            "accounts:sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": "ann@example.com"],
            from: source
        )
    }

    /// The ids of the published keys.
    private static func keys(_ node: TestServer) throws -> Set<String> {
        let list = try node.send("GET", "/.well-known/jwks.json").json["keys"]?.array ?? []
        return Set(list.compactMap { $0["kid"]?.string })
    }
}
