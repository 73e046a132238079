import Accounts
import Network
import Testing

@testable import Server

@Suite("Counters of clients and their networks")
struct ClientLimiterTests {
    private static let now: Int64 = 1_800_000_000_000

    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    /// Counts the allowed uses of these addresses.
    private static func allowed(
        _ limiter: ClientLimiter,
        _ addresses: [String],
        dividedBy divisor: Int = 1
    ) throws -> Int {
        try addresses.count { text in
            do {
                try limiter.use(address(text), at: now, dividedBy: divisor)
                return true
            } catch is Refusal { return false }
        }
    }

    @Test(arguments: [
        // The same /64, the same /56, the same /48, and networks that differ earlier.
        ("2001:db8:0:0::%", 3), ("2001:db8:0:%::1", 6), ("2001:db8:0:%00::1", 12), ("2001:db8:%::1", 120),
        ("192.0.2.%", 48), ("198.%.100.1", 120),
    ])
    func `a network has a multiple of a client's limit`(pattern: String, expected: Int) throws {
        let limiter = ClientLimiter("limits.test", limit: 3)
        let addresses = (0..<120).map { number in
            let text = pattern.contains(":") ? String(number, radix: 16) : String(number)
            return pattern.replacing("%", with: text)
        }
        #expect(try Self.allowed(limiter, addresses) == min(expected, 120))
    }

    @Test func `a refused use is counted for no network`() throws {
        let limiter = ClientLimiter("limits.test", limit: 2)
        let one = [String](repeating: "2001:db8::1", count: 50)
        #expect(try Self.allowed(limiter, one) == 2)
        #expect(try Self.allowed(limiter, ["2001:db8:0:1::1", "2001:db8:0:1::1"]) == 2)
    }

    @Test func `a divided limit is used up earlier, and never at once`() throws {
        let limiter = ClientLimiter("limits.test", limit: 8)
        let one = [String](repeating: "192.0.2.1", count: 20)
        #expect(try Self.allowed(limiter, one, dividedBy: 4) == 2)
        let client = try Self.address("192.0.2.1")
        #expect(!limiter.hasRoom(for: client, at: Self.now, dividedBy: 4))
        #expect(limiter.hasRoom(for: client, at: Self.now))
        #expect(try Self.allowed(limiter, one) == 6)
        #expect(try Self.allowed(ClientLimiter("limits.test", limit: 1), one, dividedBy: 4) == 1)
    }

    @Test func `a trusted proxy has no limit`() throws {
        let limiter = ClientLimiter("limits.test", limit: 1, exempt: [try #require(AddressRange("10.0.0.0/30"))])
        #expect(try Self.allowed(limiter, [String](repeating: "10.0.0.1", count: 100)) == 100)
        #expect(try Self.allowed(limiter, ["10.0.0.9", "10.0.0.9"]) == 1)
    }

    @Test func `a refusal names the limit and the next hour`() throws {
        let limiter = ClientLimiter("limits.test", limit: 1)
        let client = try Self.address("192.0.2.1")
        try limiter.use(client, at: Self.now)
        let refusal = try #require(throws: Refusal.self) { try limiter.check(client, at: Self.now) }
        #expect(refusal.limit == "limits.test" && refusal.code == .tooManyAttempts)
        try limiter.use(client, at: Self.now + Int64(refusal.retryAfter ?? 0) * 1000)
    }

    @Test func `an attacker with a /32 fills no table and shuts no stranger out`() throws {
        var capacity = ClientLimiter.Capacity()
        capacity.clients = 200
        capacity.sites = 100
        capacity.sitesPerBlock = 20
        let limiter = ClientLimiter("limits.test", limit: 2, capacity: capacity)
        let strangers = ["2001:db9:7::1", "2001:db9:7::1", "2001:db9:7::1", "192.0.2.1", "192.0.2.1", "192.0.2.1"]
        // 1000 networks of 2001:db8::/32, until everything is refused.
        let attack = (0..<10_000).map { "2001:db8:\(String($0 % 1000, radix: 16)):\($0 / 1000)00::1" }
        let allowed = try Self.allowed(limiter, attack)
        // 20 networks with counters have 8 uses each, and all others together have as many.
        #expect(allowed == 2 * 20 * 8)
        #expect(try Self.allowed(limiter, ["2001:db8:ffff::1"]) == 0, "the attacker's own /32")
        #expect(try Self.allowed(limiter, strangers) >= 4, "other networks")
    }

    @Test func `a client without a counter of its own is held by its network`() throws {
        var capacity = ClientLimiter.Capacity()
        capacity.clients = 0
        let limiter = ClientLimiter("limits.test", limit: 2, capacity: capacity)
        #expect(try Self.allowed(limiter, [String](repeating: "2001:db8::1", count: 50)) == 8)
        #expect(try Self.allowed(limiter, (0..<200).map { "192.0.2.\($0)" }) == 32)
    }
}
