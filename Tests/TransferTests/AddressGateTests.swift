import Network
import Testing

@Suite("Gate of outgoing connections")
struct AddressGateTests {
    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
        "198.17.0.1",
        "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "2001:200::1", "2400::1",
    ])
    func `public addresses pass`(text: String) throws {
        #expect(AddressGate.publicOnly().allows(try #require(IPAddress(text))))
    }

    @Test(arguments: [
        // unspecified, this network
        "0.0.0.0", "0.1.2.3", "::",
        // loopback
        "127.0.0.1", "127.255.255.255", "::1",
        // private
        "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.1", "fc00::1", "fdff::1", "fec0::1",
        // link-local, and the metadata of clouds
        "169.254.0.1", "169.254.169.254", "fe80::1", "fd00:ec2::254",
        // carrier-grade NAT
        "100.64.0.0", "100.127.255.255",
        // multicast, broadcast, reserved
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "ff02::1",
        // mapped, compatible, NAT64, 6to4, Teredo, 6to4 relays
        "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:4136::1",
        "192.88.99.1",
        // documentation, benchmarks, protocol assignments, discard
        "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "198.18.0.1", "198.19.255.255",
        "192.0.0.8",
        "100::1", "4000::1", "5f00::1",
    ])
    func `all others do not, but in development or when allowed`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!AddressGate.publicOnly().allows(address))
        #expect(AddressGate.open.allows(address))
        let itself = try #require(AddressRange(text))
        #expect(AddressGate.publicOnly(allowing: [itself]).allows(address))
    }

    @Test func `a mapped address passes only where the address it carries is allowed by name`() throws {
        let address = try #require(IPAddress("8.8.8.8"))
        #expect(!AddressGate.publicOnly().allows(address, isMapped: true))
        let range = try #require(AddressRange("8.8.0.0/16"))
        #expect(AddressGate.publicOnly(allowing: [range]).allows(address, isMapped: true))
        #expect(AddressGate.open.allows(address, isMapped: true))
    }
}
