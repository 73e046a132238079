import HTTPServer
import Network
import Testing

@Suite("Addresses") struct AddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("2001:DB8:0:0::1", "2001:db8::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("0.0.0.0", "0.0.0.0"), ("::", "::"),
    ])
    func `addresses are read and written in one form`(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
        #expect(IPAddress(bytes: address.bytes) == address)
    }

    @Test(arguments: [
        "", "192.0.2", "192.0.2.256", "192.0.2.01", "1", "[::1]", "::1%lo", "fe80::g", "1.2.3.4\0", " 1.2.3.4",
    ])
    func `malformed addresses are refused`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("::2", false), ("10.0.0.1", false),
    ])
    func `know loopback`(text: String, isLoopback: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
    }

    @Test func `addresses of one IPv6 network share a key, those of IPv4 do not`() throws {
        let one = try #require(IPAddress("2001:db8:1:2::1"))
        let other = try #require(IPAddress("2001:db8:1:2:ffff::9"))
        let stranger = try #require(IPAddress("2001:db8:1:3::1"))
        #expect(one.networkKey == other.networkKey)
        #expect(one.networkKey != stranger.networkKey)
        #expect(IPAddress("192.0.2.1")?.networkKey != IPAddress("192.0.2.2")?.networkKey)
        #expect(IPAddress("192.0.2.1")?.networkKey == IPAddress("192.0.2.1"))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7", "192.0.2.8", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", true), ("2001:db8::/65", "2001:db8::8000:0:0:1", false),
        ("::/0", "2001:db8::1", true), ("::1/128", "::1", true), ("::1/128", "::2", false),
        ("10.0.0.0/8", "::ffff:10.0.0.1", true),
    ])
    func `belong to ranges`(range: String, address: String, belongs: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == belongs)
    }

    @Test(arguments: ["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "/8", "x/8", "10.0.0.0/8/8"])
    func `malformed address ranges are refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:9099", "127.0.0.1:9099", true), ("[::1]:0", "[::1]:0", true),
        ("localhost:80", "127.0.0.1:80", true),
        ("0.0.0.0:65535", "0.0.0.0:65535", false),
    ])
    func `addresses to listen on are read`(text: String, canonical: String, isLoopback: Bool) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.description == canonical)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[::1]", "host:80", ":80", "127.0.0.1:+1",
    ])
    func `malformed addresses to listen on are refused`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [
        Forwarded("203.0.113.1", nil, "203.0.113.1", "no proxy"),
        Forwarded("203.0.113.1", "198.51.100.1", "203.0.113.1", "a stranger's claim is not believed"),
        Forwarded("10.0.0.1", "198.51.100.1", "198.51.100.1", "one proxy"),
        Forwarded(
            "10.0.0.1",
            "192.0.2.66, 198.51.100.1",
            "198.51.100.1",
            "the client's own claim is left of its address"
        ),
        Forwarded("10.0.0.1", "198.51.100.1, 10.0.0.2,10.0.0.3", "198.51.100.1", "several proxies"),
        Forwarded("10.0.0.1", "10.0.0.9, 10.0.0.2", "10.0.0.9", "all are ours: the farthest"),
        Forwarded("10.0.0.1", "198.51.100.1, unknown", "10.0.0.1", "what is no address ends the search"),
        Forwarded("10.0.0.1", "198.51.100.1, unknown, 10.0.0.2", "10.0.0.2", "at the proxy that said so"),
        Forwarded("10.0.0.1", "", "10.0.0.1", "empty"),
        Forwarded("10.0.0.1", "198.51.100.1:4711", "198.51.100.1", "with a port"),
        Forwarded("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1", "IPv6 with a port"),
        Forwarded("::1", "2001:db8::1", "2001:db8::1", "IPv6 proxy"),
    ])
    func `behind proxies are found`(each: Forwarded) throws {
        let trusted = ["10.0.0.0/8", "::1"].compactMap { AddressRange($0) }
        let socket = try #require(IPAddress(each.socket))
        let found = ClientAddress.resolve(socket: socket, forwardedFor: each.header, trusted: trusted)
        #expect(found.description == each.expected, "\(each.why)")
    }
}

struct Forwarded: Sendable, CustomTestStringConvertible {
    let socket: String
    let header: String?
    let expected: String
    let why: String

    init(_ socket: String, _ header: String?, _ expected: String, _ why: String) {
        self.socket = socket
        self.header = header
        self.expected = expected
        self.why = why
    }

    var testDescription: String { why }
}
