import Network
import Testing

@Suite("A list of networks") struct NetworkListTests {
    @Test(arguments: [
        ("192.0.2.7", true), ("192.0.2.8", false), ("198.51.100.255", true), ("198.51.101.0", false),
        ("2001:db8:1::1", true), ("2001:db8:2::1", false), ("2001:db8:ffff::7", true), ("2001:db8:ffff::8", false),
        ("::ffff:192.0.2.7", true), ("2001:db9:8000::", true), ("2001:db9:7fff::", false),
    ])
    func `contains what one of its blocks contains`(text: String, isIn: Bool) throws {
        let blocks = [
            "192.0.2.7", "198.51.100.9/24", "2001:db8:1::/48", "2001:db8:ffff::7", "2001:db9:8000::/33",
        ]
        let ranges = try blocks.map { try #require(AddressRange($0)) }
        let address = try #require(IPAddress(text))
        #expect(NetworkList(ranges).contains(address) == isIn)
        #expect(ranges.contains { $0.contains(address) } == isIn, "the list agrees with its blocks")
    }

    @Test func `everything of a family is in its block of length zero`() throws {
        let list = NetworkList([try #require(AddressRange("::/0"))])
        #expect(list.contains(try #require(IPAddress("2001:db8::1"))))
        #expect(!list.contains(.loopback))
        #expect(NetworkList().isEmpty && !NetworkList().contains(.loopback))
    }

    @Test(
        arguments: [
            ("192.0.2.1", 1), ("192.0.2.9/24", 256), ("192.0.2.0/23", nil), ("2001:db8::1", 1), ("2001:db8::/64", 1),
            ("2001:db8:0:5500::/56", 256), ("2001:db8::/55", nil), ("0.0.0.0/0", nil), ("::/0", nil),
        ] as [(String, Int?)]
    )
    func `has as many clients as limits count`(text: String, count: Int?) throws {
        let range = try #require(AddressRange(text))
        let clients = range.clients(atMost: 256)
        #expect(clients?.count == count)
        #expect(Set(clients ?? []).count == clients?.count ?? 0)
        #expect(clients?.allSatisfy { $0.networkKey == $0 } ?? true)
        if range != AddressRange("2001:db8::1") { #expect(clients?.allSatisfy(range.contains) ?? true) }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", 24, true), ("192.0.2.0/28", "192.0.2.200", 32, false),
        ("192.0.2.0/24", "192.0.2.200", 32, true), ("192.0.3.0/24", "192.0.2.0", 16, true),
        ("2001:db8::1", "2001:db8:0:1::", 48, true), ("2001:db8::1", "2001:db8:0:1::", 64, false),
        ("192.0.2.1", "2001:db8::", 0, false),
    ])
    func `overlaps the networks around and inside it`(text: String, address: String, length: Int, does: Bool) throws {
        let other = NetworkPrefix(of: try #require(IPAddress(address)), length: length)
        #expect(try #require(AddressRange(text)).overlaps(other) == does)
    }
}
