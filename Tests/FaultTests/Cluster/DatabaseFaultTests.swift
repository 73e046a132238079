import Glibc
import JSON
import PostgreSQLHarness
import Testing

extension DatabaseServerFaultTests {
    @Suite("Database of many nodes", .enabled(if: TestDatabase.isEnginesTurn)) struct DatabaseFaultTests {
        /// The possible faults of a database server.
        enum Fault: String, CaseIterable, CustomTestStringConvertible {
            case restarted
            case crashed
            case killed
            case oneProcessKilled = "with one of its processes killed"
            case connectionsCut = "with all its connections cut"

            var testDescription: String { rawValue }
        }

        /// Short, so that a fault lasts for longer than they do.
        static let timeouts = [
            "LATCHKEY_POSTGRESQL_CONNECT_TIMEOUT": "2s", "LATCHKEY_POSTGRESQL_STATEMENT_TIMEOUT": "2s",
        ]
        /// The maximum time of an answer during a database fault, in milliseconds: 10 s in which a call may wait and be
        /// retried, in the last attempt 2 s for connecting and 3 s for a statement, and 5 s for a slow machine.
        static let bound = 20_000.0
        /// The maximum time of an answer that waits for no connection to the database, in milliseconds: less than the
        /// 10 s for which a call may wait for one.
        static let unblocked = 8_000.0
        /// The maximum time until nodes serve again once the database does, in seconds.
        static let recovery = 20.0

        @Test(arguments: Fault.allCases)
        func `a database server loses nothing that was acknowledged, and the nodes come back by themselves:`(
            fault: Fault
        ) async throws {
            let server = try PostgreSQLServer()
            defer { try? server.stop("immediate") }
            let cluster = try await Cluster.started(on: server) { _, _ in Self.timeouts }
            var slowest = 0.0
            let people = try await cluster.live(5) {
                for _ in 0..<Depth.times(3, full: 12) {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 500...1200)))
                    try await happen(fault, to: server, of: cluster)
                    slowest = max(slowest, try await cluster.recovery(within: Self.recovery))
                }
            }
            let seen = cluster.watch.value
            #expect(seen.longest < Self.bound, "an answer took \(seen.longest) ms")
            #expect(seen.unavailable + seen.unknown > 0 || fault == .connectionsCut, "nobody was hit")
            try await cluster.check(people, "database \(fault.rawValue) (recovered in \(Int(slowest * 1000)) ms)")
        }

        private func happen(_ fault: Fault, to server: PostgreSQLServer, of cluster: Cluster) async throws {
            switch fault {
            case .restarted: try server.stop("fast")
            case .crashed: try server.stop("immediate")
            case .killed: try server.crash()
            case .oneProcessKilled:
                let sessions = try cluster.rows(
                    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                ).compactMap { Int32($0) }
                if let session = sessions.randomElement() { kill(session, SIGKILL) }
                // The server then ends all sessions. Before that, the nodes seem to have recovered already.
                _ = try await eventually(within: 30, "the end of all sessions") {
                    sessions.allSatisfy { kill($0, 0) != 0 } ? true : nil
                }
                return
            case .connectionsCut:
                _ = try cluster.rows(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """
                )
                // The server was never down, and no node reports that it was. Each node checks once a second.
                try await Task.sleep(for: .milliseconds(100))
                for _ in 0..<30 {
                    let readiness = try await cluster.everywhere { _, caller in try await caller.get("/readyz").status }
                    #expect(readiness == Array(repeating: 200, count: cluster.count))
                    try await Task.sleep(for: .milliseconds(50))
                }
                return
            }
            // While the server is down, every node reports it and keeps running.
            let refusals = try await cluster.everywhere { _, caller in
                let (call, health) = (try await caller.call("signUp"), try await caller.get("/healthz"))
                return (try await redReadiness(of: caller), health, call)
            }
            for (ready, health, call) in refusals {
                #expect(health.status == 200)
                #expect(call.status == 503 && call.header("retry-after") != nil, "\(call.text)")
                #expect(max(ready.milliseconds, call.milliseconds) < Self.unblocked)
            }
            try server.start()
        }

        /// The possible faults between a node and the database.
        enum Trouble: String, CaseIterable, CustomTestStringConvertible {
            case stall = "nothing arrives"
            case stallAnswers = "no answer arrives"
            case cut = "connections break"

            var testDescription: String { rawValue }
            var manner: DatabaseProxy.Manner {
                switch self {
                case .stall: .stall
                case .stallAnswers: .stallAnswers
                case .cut: .cut
                }
            }
        }

        @Test(arguments: Trouble.allCases)
        func `a node that the database is out of reach of answers in time, and the others go on, when`(
            trouble: Trouble
        ) async throws {
            let server = try PostgreSQLServer.shared.get()
            let proxy = try DatabaseProxy(to: server)
            let cluster = try await Cluster.started { node, database in
                Self.timeouts.merging(node == 0 ? ["LATCHKEY_DATABASE": proxy.url(to: database)] : [:]) { $1 }
            }
            var slowest = 0.0
            let people = try await cluster.live(5) {
                for round in 0..<Depth.times(3, full: 12) {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 500...1000)))
                    proxy.behave(trouble.manner)
                    async let lone: Void = expectRefusals(of: cluster.caller(0))
                    // The other nodes are not delayed: the lost node's unfinished work blocks them for no longer than a
                    // statement may take.
                    for node in 1..<cluster.count {
                        for _ in 0..<10 {
                            let reply = try await cluster.caller(node).call("signUp")
                            #expect(reply.status == 200 && reply.milliseconds < Self.unblocked, "\(reply.text)")
                        }
                    }
                    try await lone
                    // Shorter and longer than the node waits for an answer.
                    try await Task.sleep(for: .seconds(round % 3))
                    proxy.behave(.pass)
                    slowest = max(slowest, try await cluster.recovery(within: Self.recovery))
                }
            }
            let seen = cluster.watch.value
            #expect(seen.longest < Self.bound, "an answer took \(seen.longest) ms")
            #expect(seen.unavailable + seen.unknown > 0, "nobody was hit")
            try await cluster.check(people, "\(trouble.rawValue) (recovered in \(Int(slowest * 1000)) ms)")
        }

        @Test func `a client without an answer finds its change complete or absent, and never half stored`()
            async throws
        {
            let server = try PostgreSQLServer.shared.get()
            let proxies = try (0..<3).map { _ in try DatabaseProxy(to: server) }
            let cluster = try await Cluster.started { node, database in
                Self.timeouts.merging(["LATCHKEY_DATABASE": proxies[node].url(to: database)]) { $1 }
            }
            let people = try await cluster.live(6) {
                for round in 0..<Depth.times(40, full: 600) {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...200)))
                    let proxy = proxies[round % proxies.count]
                    // The server continues to work, and its answers are lost.
                    proxy.behave(.stallAnswers)
                    try await Task.sleep(for: .milliseconds(Int.random(in: 5...40)))
                    proxy.behave(.cut)
                    proxy.behave(.pass)
                }
            }
            #expect(cluster.watch.value.unknown > 0, "no commit was hit")
            _ = try await cluster.recovery(within: Self.recovery)
            try await cluster.check(people, "lost answers")
        }

        /// Expects that a node without a database answers 503 to calls that need it, and other calls as usual.
        private func expectRefusals(of caller: Caller) async throws {
            for _ in 0..<2 {
                let reply = try await caller.call("signUp")
                #expect(reply.status == 503 && reply.milliseconds < Self.bound, "\(reply.text)")
            }
            let health = try await caller.get("/healthz"), keys = try await caller.get("/.well-known/jwks.json")
            #expect(health.status == 200 && keys.status == 200)
            let ready = try await redReadiness(of: caller)
            #expect(max(health.milliseconds, keys.milliseconds, ready.milliseconds) < Self.unblocked)
        }

        /// Returns the answer of `/readyz` once the node has noticed that the database is down; it checks once a
        /// second.
        private func redReadiness(of caller: Caller) async throws -> Reply {
            try await eventually(within: 30, "a red /readyz") {
                let reply = try await caller.get("/readyz")
                return reply.status == 503 ? reply : nil
            }
        }
    }
}
