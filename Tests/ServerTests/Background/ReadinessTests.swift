import AccountDatabase
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Readiness")
struct ReadinessTests {
    private static let probe = "INSERT INTO settings"

    private static func isReady(_ server: TestServer) throws -> Bool {
        try server.send("GET", "/readyz").status == 200
    }

    @Test func `a node tries a write while nothing is committed`() async throws {
        try await TestServer.run(adjust: { $0.probeInterval = .milliseconds(200) }) { server throws in
            server.statements.clear()
            try server.eventually("writes are tried") {
                server.statements.all.count { $0.hasPrefix(Self.probe) } >= 3
            }
            #expect(try Self.isReady(server))
        }
    }

    @Test func `a disk that takes no writes turns it red, and one write green again`() async throws {
        try await TestServer.run(adjust: { $0.probeInterval = .milliseconds(200) }) { server throws in
            let guest = try server.guest()
            server.faults.beginOutage(.full, onlyWrites: true)
            try server.eventually("red") { try !Self.isReady(server) }
            #expect(try server.send("GET", "/readyz").text == #"{"status":"unavailable","reason":"writes"}"#)
            #expect(try server.lookup(guest.idToken).status == 200, "what only reads goes on")
            #expect(try server.send("GET", "/healthz").status == 200)
            server.faults.endOutage()
            // The commit ends the state at once.
            _ = try server.guest()
            #expect(try Self.isReady(server))
            try server.eventually("both are logged") {
                server.log.contains(#""event":"readiness","ready":false,"reason":"writes""#)
                    && server.log.contains(#""event":"readiness","ready":true"#)
            }
        }
    }

    @Test func `one failed write leaves it green`() async throws {
        let adjust: TestServer.Adjustment = {
            // A write that takes longer than the interval counts as failed, too.
            $0.probeInterval = .seconds(3)
            // Other commits would make the write unnecessary.
            $0.housekeepingInterval = .seconds(600)
        }
        try await TestServer.run(adjust: adjust) { server throws in
            var text: String?
            // The start writes settings, too.
            server.statements.clear()
            try server.eventually("the write") {
                text = server.statements.all.last { $0.hasPrefix(Self.probe) }
                return text != nil
            }
            for _ in 0..<2 {
                server.statements.clear()
                server.faults.plan(try #require(text))
                // The write that fails, and the next.
                try server.eventually("both writes") { () throws -> Bool in
                    #expect(try Self.isReady(server))
                    return server.statements.all.count { $0.hasPrefix(Self.probe) } >= 2
                }
                #expect(!server.faults.isStillPlanned())
            }
        }
    }

    @Test func `it answers at once while a write hangs, and red then`() async throws {
        try await TestServer.run(adjust: { $0.probeInterval = .milliseconds(200) }) { server throws in
            try server.eventually("a first write") { server.statements.contains(Self.probe) }
            let hold = server.faults.hold(Self.probe)
            defer { hold.release() }
            try server.eventually("the write hangs") { hold.isReached }
            // An answer that waited for the write would not arrive before the release.
            try server.eventually("red") { try !Self.isReady(server) }
            for _ in 0..<20 { _ = try Self.isReady(server) }
            hold.release()
            try server.eventually("green") { try Self.isReady(server) }
        }
    }

    @Test func `a database that is away turns it red`() async throws {
        try await TestServer.run(adjust: { $0.probeInterval = .milliseconds(200) }) { server throws in
            server.faults.beginOutage(.unavailable)
            try server.eventually("red") { try !Self.isReady(server) }
            server.faults.endOutage()
            try server.eventually("green") { try Self.isReady(server) }
        }
    }

    @Test func `damage that a request meets turns it red at once, for good`() async throws {
        try await TestServer.run { server throws in
            let guest = try server.guest()
            #expect(try Self.isReady(server))
            server.faults.beginOutage(.corrupt)
            #expect(try server.lookup(guest.idToken).status == 500)
            server.faults.endOutage()
            let answer = try server.send("GET", "/readyz")
            #expect(answer.status == 503 && answer.text.contains(#""reason":"damage""#))
            _ = try server.guest()
            #expect(try !Self.isReady(server), "a write elsewhere mends nothing")
        }
    }

    /// Runs a server on a file of some hundred pages, and destroys sixty of them while it runs.
    private static func withDestroyedPages(
        probeInterval: Duration,
        _ body: @escaping @Sendable (TestServer, Tokens) throws -> Void
    ) async throws {
        try await TestServer.run(adjust: { $0.probeInterval = probeInterval }) { server throws in
            let guest = try server.guest()
            let text = String(repeating: "x", count: 60_000)
            for number in 0..<20 {
                #expect(try server.document("PUT", "c/\(number)", #"{"a":"\#(text)"}"#, guest.idToken).status == 201)
            }
            try server.restarted { server throws in
                #expect(try Self.isReady(server))
                let file = try FileHandle(forUpdating: server.folder.appendingPathComponent("latchkey.db"))
                defer { try? file.close() }
                let pages = try file.seekToEnd() / 4096
                try #require(pages > 200)
                // The newest pages hold the parts of documents beyond their first page.
                for page in (pages - 100)..<(pages - 40) {
                    try file.seek(toOffset: page * 4096)
                    try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
                }
                try body(server, guest)
            }
        }
    }

    @Test(.enabled(if: TestDatabase.isFile, "a server's file is the server's concern"))
    func `destroyed pages that are not read turn it red while sign-ups work`() async throws {
        try await Self.withDestroyedPages(probeInterval: .milliseconds(500)) { server, _ throws in
            for _ in 0..<20 { _ = try server.guest() }
            try server.eventually("red") { try !Self.isReady(server) }
            #expect(try server.send("GET", "/readyz").text.contains(#""reason":"damage""#))
            // The check turns it red first.
            try server.eventually("logged") { server.log.contains("stored data is damaged") }
        }
    }

    @Test(.enabled(if: TestDatabase.isFile, "a server's file is the server's concern"))
    func `destroyed pages that a request reads turn it red at once`() async throws {
        // No check runs before the test ends.
        try await Self.withDestroyedPages(probeInterval: .seconds(600)) { server, guest throws in
            for _ in 0..<20 { _ = try server.guest() }
            #expect(try Self.isReady(server))
            var failures = 0
            for number in 0..<20 where try server.document("GET", "c/\(number)", guest.idToken).status != 200 {
                failures += 1
            }
            try #require(failures > 0)
            #expect(try !Self.isReady(server))
        }
    }
}
