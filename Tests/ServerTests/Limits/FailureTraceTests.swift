import Accounts
import Database
import JSON
import Network
import PostgreSQLHarness
import Testing
import Tokens

@testable import Server

/// Attacks that previously left no line in the log.
@Suite("Log entries of failures")
struct FailureTraceTests {
    private static func lines(_ log: Lines, _ event: String) throws -> [JSONValue] {
        try log.all.map { try JSONValue.parse($0) }.filter { $0["event"]?.string == event }
    }

    private static let now: Int64 = 1_800_000_000_000

    private static func trace(_ log: Lines) throws -> FailureTrace {
        FailureTrace(
            secrets: try ServerSecrets(text: TestServer.secret),
            logger: Log { log.add(String(decoding: $0, as: UTF8.self)) }
        )
    }

    @Test(.enabled(if: TestDatabase.isEnginesTurn))
    func `300 000 wrong codes over many networks leave two lines with ten networks`() throws {
        let log = Lines()
        let trace = try Self.trace(log)
        let attacker = try #require(IPAddress("203.0.113.7"))
        for number in 0..<300_000 {
            // One in ten comes from one network; the others come from 30,000.
            let bits = UInt32(truncatingIfNeeded: number % 30_000)
            let other = try #require(
                IPAddress(bytes: [10, UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF), 1])
            )
            trace.record(.wrongCode, from: number.isMultiple(of: 10) ? attacker : other, at: Self.now)
        }
        let first = try Self.lines(log, "failure")
        #expect(first.count == 1 && first.first?["kind"]?.string == "wrong-code")
        #expect(try Self.lines(log, "failures").isEmpty)
        trace.flush(at: Self.now + 60_000)
        let sums = try Self.lines(log, "failures")
        let networks = sums.first?["networks"]?.array ?? []
        #expect(sums.count == 1 && log.all.count == 2)
        #expect(sums.first?["count"]?.int64 == 300_000)
        #expect(networks.count == 10)
        #expect(networks.first?["network"] == first.first?["network"], "the attacker's network leads")
        #expect(!log.contains("203.0.113"))
        trace.flush(at: Self.now + 120_000)
        #expect(log.all.count == 2, "a minute without failures has no line")
    }

    @Test func `each kind and each limit has its own first line in each minute`() throws {
        let log = Lines()
        let trace = try Self.trace(log)
        let client = try #require(IPAddress("2001:db8::1"))
        for minute in 0..<2 {
            for _ in 0..<3 {
                for kind in [FailureTrace.Kind.badLink, .refusedKey, .limit("limits.a"), .limit("limits.b")] {
                    trace.record(kind, from: client, at: Self.now + Int64(minute) * 60_000)
                }
            }
        }
        #expect(try Self.lines(log, "failure").count == 8)
        #expect(try Self.lines(log, "failures").map { $0["count"]?.int64 } == [3, 3, 3, 3])
        let networks = Set(try Self.lines(log, "failure").map { $0["network"]?.string })
        #expect(networks.count == 1)
    }

    @Test func `names of limits fill no memory`() throws {
        let log = Lines()
        let trace = try Self.trace(log)
        for number in 0..<1000 { trace.record(.limit("limits.\(number)"), from: .loopback, at: Self.now) }
        trace.flush(at: .max)
        #expect(try Self.lines(log, "failures").count == 64)
    }

    @Test func `wrong codes, bad links, tokens, keys and limits are logged, and no secret or address`() async throws {
        try await TestServer.runInProduction(["LIMITS_FAILURES_PER_CLIENT": "3", "LIMITS_GUESTS_PER_CLIENT": "1"]) {
            server in
            server.clock.freezeAtHour()
            let asked = try server.askForLink("ann@example.com")
            for _ in 0..<2 { _ = try server.redeemTicket(asked.ticket, code: asked.wrongCode) }
            _ = try server.redeem("made-up-link", "ann@example.com")
            _ = try server.redeem(asked.oobCode, "bob@example.com")
            for _ in 0..<3 { _ = try server.refresh("made-up-token") }
            _ = try server.call("accounts:lookup", headers: ["Authorization: Bearer made-up-key"])
            for _ in 0..<2 { _ = try server.call("accounts:signUp") }
            let kinds = try Self.lines(server.log, "failure").map { ($0["kind"]?.string, $0["limit"]?.string) }
            let expected = [
                ("wrong-code", nil), ("bad-link", nil), ("wrong-address", nil), ("refused-token", nil),
                ("limit", "limits.failuresPerClient"), ("refused-key", nil), ("limit", "limits.guestsPerClient"),
            ]
            #expect(kinds.map { "\($0)" } == expected.map { "\($0 as (String?, String?))" })
            server.clock.advance(seconds: 60)
            try server.eventually("the sums") { try Self.lines(server.log, "failures").count == 7 }
            let sums = try Self.lines(server.log, "failures")
            let tokens = sums.first { $0["kind"]?.string == "refused-token" }
            #expect(tokens?["count"]?.int64 == 3)
            for secret in ["made-up", "127.0.0", "example.com", asked.ticket, asked.oobCode] {
                #expect(!server.log.all.contains { $0.contains("\"failure") && $0.contains(secret) }, "\(secret)")
            }
        }
    }

    @Test func `wrong codes of clients that hang up before the answer are counted`() async throws {
        try await TestServer.runInProduction { server in
            server.clock.freeze()
            let asked = try server.askForLink("ann@example.com")
            // A code is compared once its e-mail is recorded as sent.
            try server.waitUntilMailsAreFinished()
            let body: JSONValue = ["ticket": .string(asked.ticket), "code": .string(asked.wrongCode)]
            for _ in 0..<2 {
                let connection = try HTTPConnection(port: server.port)
                let target = "/v1/accounts:signInWithTicket?key=k"
                try connection.send(TestServer.request("POST", target, headers: [], body: body.serialized()))
            }
            try server.eventually("the first line") { try !Self.lines(server.log, "failure").isEmpty }
            try server.eventually("the second wrong code") {
                try server.withDatabase { try $0.first("SELECT wrong_codes FROM tickets") { try $0.integer(0) } } == 2
            }
            server.stop(within: .seconds(30))
            let sums = try Self.lines(server.log, "failures")
            #expect(sums.first?["count"]?.int64 == 2, "\(server.log.all)")
        }
    }
}
