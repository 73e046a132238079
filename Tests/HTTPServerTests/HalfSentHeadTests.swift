import Foundation
import HTTPServer
import Network
import Testing

@Suite("Half-sent heads", .serialized) struct HalfSentHeadTests {
    private static let half = "GET /hello HTTP/1.1\r\nHost: a\r\nX-Slow: "

    /// Opens connections from an address, each of which sends a part of a request.
    private static func attack(_ test: TestServer, from source: String, _ count: Int, _ text: String = half) throws
        -> [Client]
    {
        try (0..<count).map { _ in
            let client = try test.connect(from: source)
            // The server may have closed the connection already.
            try? client.send(text)
            return client
        }
    }

    private static func secondsOfRequest(_ test: TestServer, from source: String) throws -> Double {
        let begun = Date()
        let client = try test.connect(from: source)
        #expect(try client.request("GET", "/hello").text == "hello")
        return Date().timeIntervalSince(begun)
    }

    @Test(arguments: [
        ("heads", half), ("nothing", ""),
        ("bodies", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx"),
    ])
    func `over many addresses do not close the server for others`(name: String, text: String) async throws {
        try await TestServer.run(configure: {
            $0.maximumConnections = 100
            $0.maximumConnectionsPerAddress = 10
            $0.threads = 2
        }) { test throws in
            // 50 addresses of 50 networks, with five times the allowed number of connections.
            var held: [Client] = []
            for address in 0..<50 {
                held += try Self.attack(test, from: "127.1.\(address).7", 10, text)
            }
            for _ in 0..<20 { #expect(try Self.secondsOfRequest(test, from: "127.0.0.1") < 20) }
            #expect(test.server.connectionCount <= 100)
            #expect(eventually { test.reported.contains { $0.hasPrefix("connectionsEvicted") } })
        }
    }

    @Test func `half-sent heads of the network that holds most are closed first, the oldest before the others`()
        async throws
    {
        try await TestServer.run(configure: {
            $0.maximumConnections = 32
            $0.threads = 1
        }) { test throws in
            let neighbour = try Self.attack(test, from: "127.1.0.1", 1)
            var most = try Self.attack(test, from: "127.2.0.1", 10)
            most += try Self.attack(test, from: "127.2.0.2", 10)
            #expect(eventually { test.server.connectionCount == 21 })
            usleep(400_000)
            // They keep 20, and further connections replace the oldest of them.
            let more = try Self.attack(test, from: "127.3.0.1", 15)
            #expect(eventually { test.server.connectionCount <= 31 })
            #expect(try most[0].isAtEnd())
            for client in neighbour + [most[19], more[14]] {
                try client.send("x\r\n\r\n")
                #expect(try client.reply().text == "hello")
            }
        }
    }

    @Test func `half-sent heads of trusted proxies stay open`() async throws {
        try await TestServer.run(configure: {
            $0.maximumConnections = 32
            $0.threads = 1
            $0.trustedProxies = ["127.0.0.9"].compactMap { AddressRange($0) }
        }) { test throws in
            let proxy = try Self.attack(test, from: "127.0.0.9", 25)
            #expect(eventually { test.server.connectionCount == 25 })
            _ = try Self.attack(test, from: "127.5.0.1", 40)
            for client in proxy {
                try client.send("x\r\n\r\n")
                #expect(try client.reply().text == "hello")
            }
        }
    }

    @Test func `never cost a request that is being answered`() async throws {
        try await TestServer.run(
            configure: {
                $0.maximumConnections = 32
                $0.threads = 2
            },
            routes: { router in
                router.add(.get, "/later") { _ in
                    .suspended { resumption in
                        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { resumption.resume { .text("later") } }
                    }
                }
            }
        ) { test throws in
            let served = try (0..<20).map { _ in
                let client = try test.connect(from: "127.6.0.1")
                try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            var held: [Client] = []
            for _ in 0..<10 {
                held += try Self.attack(test, from: "127.6.0.2", 20)
                usleep(50_000)
            }
            for client in served { #expect(try client.reply().text == "later") }
        }
    }

    @Test func `let others in at once when all connections fell silent while there was no room`() async throws {
        try await TestServer.run(configure: {
            $0.maximumConnections = 16
            $0.threads = 2
        }) { test throws in
            let idle = try (0..<40).map { _ in try test.connect(from: "127.7.0.1") }
            #expect(try Self.secondsOfRequest(test, from: "127.0.0.1") < 20)
            withExtendedLifetime(idle) {}
        }
    }
}
