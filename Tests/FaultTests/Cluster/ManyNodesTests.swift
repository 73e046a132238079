import JSON
import PostgreSQLHarness
import SMTPHarness
import Testing

extension FaultTests {
    @Suite("Many nodes", .enabled(if: TestDatabase.isEnginesTurn)) struct ManyNodesTests {
        @Test func `one link redeemed on all nodes at once has one winner, and costs the losers nothing`() async throws
        {
            let cluster = try await Cluster.started()
            for round in 0..<Depth.times(12, full: 1000) {
                let email = "race-\(round)@example.org"
                let asked = try await cluster.caller(round % cluster.count).sendLink(to: email)
                let ticket = asked["ticket"] ?? ""
                let letter = try await cluster.letters.wait(for: email)
                // Two clients on each node, each with its own guest: by the link and by the eight digits of the same
                // e-mail.
                let rivals = try await cluster.everywhere { _, caller in
                    (try await caller.signUp(), try await caller.signUp())
                }
                let replies = try await cluster.everywhere { node, caller in
                    let other = try cluster.caller(node)
                    async let byLink = caller.redeem(letter.code, email: email, for: rivals[node].0)
                    async let byDigits = other.call(
                        "signInWithTicket",
                        .init(strings: [
                            ("ticket", ticket), ("code", letter.digits), ("idToken", rivals[node].1.idToken),
                        ])
                    )
                    return try await [(rivals[node].0, byLink), (rivals[node].1, byDigits)]
                }.flatMap(\.self)
                let winners = replies.filter { $0.1.status == 200 }
                #expect(winners.count == 1, "\(replies.map(\.1.text))")
                for (guest, reply) in replies where reply.status != 200 {
                    #expect(["INVALID_OOB_CODE", "TICKET_SPENT", "MAIL_PENDING"].contains(reply.code), "\(reply.text)")
                    let user = try await cluster.caller(round % cluster.count).lookup(guest.idToken)
                    #expect(user.uid == guest.uid && user.email == nil, "a loser lost more: \(user.text)")
                }
                #expect(try cluster.rows("SELECT count(*) FROM users WHERE email = '\(email)'") == ["1"])
            }
            try await cluster.check()
        }

        @Test func `people on all nodes at once leave nothing half done`() async throws {
            let cluster = try await Cluster.started()
            let deadlocks = try cluster.deadlocks()
            let people = try await cluster.live(6) {
                try await Task.sleep(for: .seconds(Depth.times(6, full: 120)))
            }
            // Nothing failed, so nothing may have been postponed.
            #expect(cluster.watch.value.unavailable == 0 && cluster.watch.value.unknown == 0)
            // Conflicting transactions wait for one another; the server finds no deadlock.
            #expect(try cluster.deadlocks() == deadlocks)
            try await cluster.check(people, "random work")
        }

        @Test func `nodes killed under load lose nothing that was acknowledged`() async throws {
            let cluster = try await Cluster.started()
            let people = try await cluster.live(6) {
                for kill in 0..<Depth.times(4, full: 45) {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 600...1500)))
                    try await cluster.kill(kill % cluster.count)
                    // The other nodes continue meanwhile.
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...500)))
                    try await cluster.start(kill % cluster.count)
                }
            }
            #expect(cluster.watch.value.unknown > 0, "nobody was hit")
            try await cluster.check(people, "kill -9 of nodes")
        }

        @Test func `nodes restarted one after the other under load refuse no call`() async throws {
            let cluster = try await Cluster.started()
            let people = try await cluster.live(4, keepingConnections: false) {
                for node in Array(repeating: 0..<cluster.count, count: Depth.times(1, full: 10)).flatMap(\.self) {
                    try await Task.sleep(for: .milliseconds(700))
                    #expect(try await cluster.stop(node) == 0)
                    try await cluster.start(node)
                }
            }
            // Every accepted request was answered.
            #expect(cluster.watch.value.unknown == 0)
            try await cluster.check(people, "rolling restarts")
        }

        @Test func `ten nodes that start at once on an empty database bring one schema about`() async throws {
            for _ in 0..<Depth.times(3, full: 20) {
                let cluster = try await Cluster.started(nodes: 10) { _, _ in
                    ["LATCHKEY_POSTGRESQL_CONNECTIONS": "2"]
                }
                let steps = try cluster.rows("SELECT number FROM schema_migrations ORDER BY number")
                #expect(steps == (1...steps.count).map(String.init) && steps.count >= 3)
                #expect(try cluster.rows("SELECT count(*) FROM signing_keys") == ["1"])
                // All nodes know each guest.
                let guest = try await cluster.caller(9).signUp()
                let found = try await cluster.everywhere { _, caller in try await caller.lookup(guest.idToken).uid }
                #expect(Set(found) == [guest.uid])
            }
        }

        @Test func `a node refuses a schema that is newer than itself, and those that run go on`() async throws {
            let cluster = try await Cluster.started(nodes: 2)
            #expect(try await cluster.stop(1) == 0)
            _ = try cluster.rows(
                "INSERT INTO schema_migrations SELECT max(number) + 1, 'later', 'later', 0 FROM schema_migrations"
            )
            let refused = try await cluster.run(["serve"], as: 1)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("newer"), "\(refused.errors)")
            #expect(try await cluster.caller(0).signUp().uid.count == 28)
        }

        @Test func `a server that answers before a commit is durable is refused`() async throws {
            let cluster = try Cluster(nodes: 1)
            _ = try cluster.rows(
                "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET synchronous_commit = off'; END $$"
            )
            let refused = try await cluster.run(["serve"])
            #expect(refused.status == 1)
            #expect(refused.errors.contains("synchronous_commit"), "\(refused.errors)")
            _ = try cluster.rows(
                "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' RESET synchronous_commit'; END $$"
            )
            try await cluster.start()
            #expect(try await cluster.caller(0).signUp().uid.count == 28)
        }
    }
}
