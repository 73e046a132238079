import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Listening through many nodes", .enabled(if: TestDatabase.isEnginesTurn))
struct ListenNodesTests {
    /// The pace never starts a round, so that only notifications between nodes can cause the events.
    @Test func `what happens through one node the listeners of all are told at once`() async throws {
        try await TestServer.runNodes(3, pace: .every(.seconds(600))) { nodes in
            try Self.untilHeard(nodes)
            let guest = try nodes[0].guest()
            let streams = try nodes.map { try EventStream($0, guest.idToken) }
            for stream in streams { try stream.ready() }
            for number in 1...6 {
                try nodes[number % 3].set("notes/a", guest.idToken, ["n": .string("\(number)")])
                for stream in streams {
                    let change = try stream.change()
                    #expect(change.id == Int64(number))
                    #expect(change.data["document"] == ["n": .string("\(number)")])
                }
            }
            _ = try nodes[1].call("accounts:delete", ["idToken": .string(guest.idToken)])
            for stream in streams { #expect(try stream.end()["reason"] == "user.deleted") }
        }
    }

    @Test func `a merge through one node ends the guest's streams and feeds the other's on all`() async throws {
        try await TestServer.runNodes(2, pace: .every(.seconds(600))) { nodes in
            try Self.untilHeard(nodes)
            let guest = try nodes[0].guest()
            let asked = try TestServer.askForLink("ann@example.com", nodes)
            let ann = try Tokens(nodes[1].redeem(asked.oobCode, "ann@example.com"))
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
            let end = try leaving.end()
            #expect(end["mergedInto"] == ann.uid)
            #expect(try staying.change()["collection"] == "notes")
        }
    }

    @Test func `without notifications between nodes it takes a round`() async throws {
        try await TestServer.runNodes(2, TestServer.withoutNotifications) { nodes in
            let guest = try nodes[0].guest()
            let stream = try EventStream(nodes[1], guest.idToken)
            try stream.ready()
            for number in 1...3 {
                try nodes[0].set("notes/a", guest.idToken)
                #expect(try stream.change().id == Int64(number))
            }
            try nodes[0].eventually("a line in the log") {
                nodes[0].log.contains("notifications from other nodes do not arrive")
            }
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
                #expect(try stream.change().id == Int64(number))
            }
        }
    }

    @Test func `while the database stalls streams are kept alive, and afterwards nothing is missing`() async throws {
        let pace = Changes.Pace.every(.milliseconds(100), heartbeat: .milliseconds(300))
        try await TestServer.runNodes(1, pace: pace) { nodes in
            let guest = try nodes[0].guest()
            let stream = try EventStream(nodes[0], guest.idToken)
            try stream.ready()
            try Self.lockSessions(nodes[0])
            defer { try? Self.releaseSessions(nodes[0]) }
            #expect(stream.onlyHeartbeats(4))
            try Self.releaseSessions(nodes[0])
            try nodes[0].set("notes/a", guest.idToken)
            #expect(try stream.change().id == 1)
        }
    }

    @Test func `a node whose database stalls ends its streams at once when it stops`() async throws {
        try await TestServer.runNodes(1, pace: .every(.milliseconds(100))) { nodes in
            let guest = try nodes[0].guest()
            let stream = try EventStream(nodes[0], guest.idToken)
            try stream.ready()
            try Self.lockSessions(nodes[0])
            defer { try? Self.releaseSessions(nodes[0]) }
            let stopping = Thread { nodes[0].stop() }
            stopping.start()
            // The lock stays until the test ends.
            #expect(try stream.end()["reason"] == "server.stopping")
        }
    }

    /// The condition on `pg_locks` for the lock of ``lockSessions(_:)``.
    ///
    /// The view shows the locks of all databases, in which the table has the same number.
    private static let isLock = """
        relation = 'sessions'::regclass AND mode = 'AccessExclusiveLock' AND granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    /// Stalls what reads or writes sessions until ``releaseSessions(_:)``, at most for 60 seconds.
    private static func lockSessions(_ node: TestServer) throws {
        let lock = "BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60); COMMIT"
        Thread { _ = try? node.psql(lock) }.start()
        try node.eventually("the sessions are locked") {
            try node.psql("SELECT count(*) FROM pg_locks WHERE \(isLock)") == "1"
        }
    }

    private static func releaseSessions(_ node: TestServer) throws {
        try node.psql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE \(isLock)")
    }

    /// Waits until each node receives notifications from the others, because a start takes a moment.
    ///
    /// A node tests its connection right after it has subscribed, and again after ten seconds. A second without a
    /// statement therefore means that the first test is over.
    static func untilHeard(_ nodes: [TestServer]) throws {
        let listening = """
            SELECT count(*) FROM pg_stat_activity
            WHERE application_name = 'latchkey news' AND datname = current_database()
                AND state = 'idle' AND state_change < clock_timestamp() - interval '1 second'
            """
        try nodes[0].eventually("all nodes listen") { try nodes[0].psql(listening) == "\(nodes.count)" }
    }
}
