import Foundation
import HTTPServer
import Network
import Synchronization
import Testing

@Suite("Limits") struct LimitTests {
    @Test func `refuse a body by its announced length, before it is sent`() async throws {
        try await TestServer.run(configure: { $0.maximumBody = 1000 }) { test throws in
            for expect in ["", "Expect: 100-continue\r\n"] {
                let client = try test.connect()
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\n\(expect)Content-Length: 1001\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 413)
                #expect(reply.text == #"{"error":"BODY_TOO_LARGE"}"#)
                #expect(try client.isAtEnd())
            }
        }
    }

    @Test func `let a client that keeps sending read the refusal`() async throws {
        try await TestServer.run(configure: { $0.maximumBody = 1000 }) { test throws in
            let client = try test.connect()
            try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n")
            let piece = [UInt8](repeating: 0x61, count: 100_000)
            for _ in 0..<20 {
                try client.send(piece)
                usleep(2000)
            }
            #expect(try client.reply().status == 413)
        }
    }

    @Test(arguments: [1, 900])
    func `refuse a body of unknown length as soon as it is too long`(chunk: Int) async throws {
        try await TestServer.run(configure: { $0.maximumBody = 1000 }) { test throws in
            let client = try test.connect()
            try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            var sent = 0
            while sent <= 1000 {
                try client.send(String(chunk, radix: 16) + "\r\n" + String(repeating: "a", count: chunk) + "\r\n")
                sent += chunk
            }
            let reply = try client.reply()
            #expect(reply.status == 413)
            #expect(reply.text == #"{"error":"BODY_TOO_LARGE"}"#)
            #expect(reply["Date"]?.hasSuffix("GMT") == true)
            #expect(try client.isAtEnd())
        }
    }

    @Test func `limits are lower without a bearer, where a route says nothing else`() async throws {
        try await TestServer.run(
            configure: {
                $0.maximumBody = 1000
                $0.maximumBodyWithoutBearer = 100
            },
            routes: { $0.add(.post, "/own", maximumBody: 500) { .response(.text("\($0.body.count)")) } }
        ) { test throws in
            func status(_ path: String, _ count: Int, _ headers: [String] = []) throws -> Int {
                let body = String(repeating: "a", count: count)
                return try test.connect().request("POST", path, headers: headers, body: body).status
            }
            #expect(try status("/echo", 100) == 200)
            #expect(try status("/echo", 101) == 413)
            for header in ["Authorization: Bearer x", "authorization: bearer x"] {
                #expect(try status("/echo", 1000, [header]) == 200)
                #expect(try status("/echo", 1001, [header]) == 413)
            }
            for header in ["Authorization: Bearer", "Authorization: Basic abcdefgh", "X-Authorization: Bearer x"] {
                #expect(try status("/echo", 101, [header]) == 413)
            }
            #expect(try status("/echo", 101, ["Authorization: Basic a", "Authorization: Bearer x"]) == 413)
            #expect(try status("/own", 500) == 200)
            let client = try test.connect()
            try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            try client.send("65\r\n\(String(repeating: "a", count: 101))\r\n0\r\n\r\n")
            #expect(try client.reply().status == 413)
        }
    }

    @Test func `differ between routes`() async throws {
        try await TestServer.run(
            configure: { $0.maximumBody = 10 },
            routes: { $0.add(.post, "/big", maximumBody: 100) { .response(.text("\($0.body.count)")) } }
        ) { test throws in
            let body = String(repeating: "a", count: 100)
            #expect(try test.connect().request("POST", "/big", body: body).text == "100")
            #expect(try test.connect().request("POST", "/big", body: body + "a").status == 413)
            #expect(try test.connect().request("POST", "/echo", body: body).status == 413)
        }
    }

    @Test(arguments: [15_000, 17_000, 30_000, 32_000, 40_000, 200_000])
    func `refuse long header fields and targets`(length: Int) async throws {
        try await TestServer.run { test throws in
            let filler = String(repeating: "a", count: length)
            for text in [
                "GET /hello?\(filler) HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /hello HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n",
            ] {
                let client = try test.connect()
                // The server may have refused before everything was sent.
                try? client.send(text)
                let status = try client.reply().status
                if length < 16_000 { #expect(status == 200) } else { #expect(status == 431 || status == 414) }
            }
            #expect(try test.connect().request("GET", "/hello").status == 200)
        }
    }

    @Test func `refuse very many header fields`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            try? client.send("GET /hello HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a:b\r\n", count: 3000) + "\r\n")
            #expect(try client.reply().status == 431)
        }
    }

    /// A query with very many parameters.
    ///
    /// The library keeps each of them in the connection's memory. When no memory was left for an answer, it was silent
    /// until the deadline.
    @Test(arguments: [127, 128, 129, 500, 560, 600, 700, 3000])
    func `answer a query of very many parameters at once`(count: Int) async throws {
        try await TestServer.run { test throws in
            let query = (0..<count).map { "a\($0 % 10)=1" }.joined(separator: "&")
            // Shorter than the deadline for a request, which is 30 s.
            let client = try test.connect(patience: 20)
            try client.send("GET /hello?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
            let reply = try client.reply()
            if count <= 128 {
                #expect(reply.text == "hello")
            } else {
                #expect(reply.status == 400)
                #expect(reply.text == #"{"error":"MALFORMED_REQUEST"}"#)
            }
        }
    }

    @Test(arguments: [100, 300, 450, 500, 550, 600, 700, 1000, 1500])
    func `refuse very many header fields and cookies at once, if they have to`(count: Int) async throws {
        try await TestServer.run { test throws in
            let cookies = "Cookie: " + (0..<count).map { "a\($0 % 10)=1" }.joined(separator: "; ") + "\r\n"
            for fields in [String(repeating: "a:b\r\n", count: count), cookies] {
                // Shorter than the deadline for a request, which is 30 s.
                let client = try test.connect(patience: 20)
                try? client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
                // If they fill the connection's memory, the library has none left for an answer.
                guard try !client.isAtEnd() else { continue }
                let status = try client.reply().status
                #expect(status == 200 || status == 431, "\(count): \(status)")
            }
        }
    }

    @Test(.oneAtATime) func `bear 1500 idle connections beside a working one`() async throws {
        // No connection may reach a deadline before its turn, however slow the machine is.
        try await TestServer.run(configure: {
            $0.requestDeadline = .seconds(300)
            $0.idleTimeout = .seconds(300)
        }) { test throws in
            let idle = try (0..<1500).map { _ in try test.connect() }
            #expect(eventually { test.server.connectionCount == 1500 })
            let worker = try test.connect()
            for _ in 0..<200 { #expect(try worker.request("GET", "/hello").text == "hello") }
            for client in [idle[0], idle[749], idle[1499]] {
                #expect(try client.request("GET", "/hello").text == "hello")
            }
        }
    }

    @Test func `hold back connections beyond the maximum until others end`() async throws {
        let waiting = Mutex<[Resumption]>([])
        try await TestServer.run(
            configure: {
                $0.maximumConnections = 10
                $0.threads = 2
            },
            routes: { router in
                router.add(.get, "/wait") { _ in
                    .suspended { resumption in waiting.withLock { $0.append(resumption) } }
                }
            }
        ) { test throws in
            // Their requests are complete, so that none of them is closed to make room.
            let clients = try (0..<20).map { _ in
                let client = try test.connect()
                try client.send("GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return client
            }
            #expect(eventually { waiting.withLock(\.count) == 10 })
            usleep(200_000)
            #expect(test.server.connectionCount == 10)
            #expect(waiting.withLock(\.count) == 10)
            for resumption in waiting.withLock({ $0 }) { resumption.resume { .text("done") } }
            #expect(eventually { waiting.withLock(\.count) == 20 })
            for resumption in waiting.withLock({ $0 }) { resumption.resume { .text("done") } }
            for client in clients { #expect(try client.reply().text == "done") }
        }
    }

    @Test func `limits give the networks around a client several times its connections`() async throws {
        try await TestServer.run(configure: {
            $0.maximumConnectionsPerAddress = 3
            $0.networkShares.ipv4Prefix24 = 2
            $0.threads = 1
        }) { test throws in
            let neighbours = try (1...3).flatMap { host in
                try (0..<2).map { _ in try test.connect(from: "127.0.9.\(host)") }
            }
            for client in neighbours { #expect(try client.request("GET", "/hello").status == 200) }
            // Neither address has three, but the /24 has six.
            #expect(try test.connect(from: "127.0.9.1").isAtEnd())
            #expect(try test.connect(from: "127.0.9.4").isAtEnd())
            #expect(try test.connect(from: "127.0.8.1").request("GET", "/hello").status == 200)
            neighbours[0].close()
            #expect(
                eventually { (try? test.connect(from: "127.0.9.4").request("GET", "/hello").status) == 200 }
            )
        }
    }

    @Test func `count connections by address, those of trusted proxies not`() async throws {
        try await TestServer.run(
            listen: "127.0.0.1:0",
            configure: {
                $0.maximumConnectionsPerAddress = 5
                $0.trustedProxies = ["127.0.0.9"].compactMap { AddressRange($0) }
                $0.threads = 1
            }
        ) { test throws in
            let kept = try (0..<5).map { _ in try test.connect(from: "127.0.0.2") }
            for client in kept { #expect(try client.request("GET", "/hello").status == 200) }
            let refused = try test.connect(from: "127.0.0.2")
            #expect(try refused.isAtEnd())
            #expect(eventually { test.reported.contains { $0.hasPrefix("addressRefused") } })
            let other = try test.connect(from: "127.0.0.3")
            #expect(try other.request("GET", "/hello").status == 200)
            let proxies = try (0..<20).map { _ in try test.connect(from: "127.0.0.9") }
            for client in proxies { #expect(try client.request("GET", "/hello").status == 200) }
            kept[0].close()
            #expect(
                eventually {
                    (try? test.connect(from: "127.0.0.2").request("GET", "/hello").status) == 200
                }
            )
        }
    }
}

@Suite("Deadlines") struct DeadlineTests {
    private static let short: @Sendable (inout HTTPConfiguration) -> Void = {
        // Longer than the others, because a request that is sent at once must arrive in time on a slow machine as well.
        $0.requestDeadline = .seconds(5)
        $0.handlingDeadline = .seconds(1)
        $0.responseDeadline = .seconds(1)
        $0.idleTimeout = .seconds(1)
    }

    @Test func `limits end a request whose head drips`() async throws {
        try await TestServer.run(configure: Self.short) { test throws in
            let client = try test.connect()
            #expect(
                Self.seconds {
                    Self.drip(client, "GET /hello HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 400))")
                } < 20
            )
            #expect(eventually { test.reported.contains { $0.hasPrefix("deadlinePassed") } })
        }
    }

    @Test func `limits end a second request whose first line drips`() async throws {
        try await TestServer.run(configure: Self.short) { test throws in
            let client = try test.connect()
            #expect(try client.request("GET", "/hello").status == 200)
            #expect(Self.seconds { Self.drip(client, "GET /\(String(repeating: "a", count: 400))") } < 20)
        }
    }

    @Test func `limits end a request whose body drips`() async throws {
        try await TestServer.run(configure: Self.short) { test throws in
            let client = try test.connect()
            try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
            #expect(Self.seconds { Self.drip(client, String(repeating: "a", count: 400)) } < 20)
        }
    }

    @Test func `limits end a client that reads slowly`() async throws {
        try await TestServer.run(
            configure: Self.short,
            routes: { router in
                let body = [UInt8](repeating: 0x61, count: 30 << 20)
                router.add(.get, "/big") { _ in .response(Response(body: body)) }
            }
        ) { test throws in
            let client = try test.connect()
            client.shrinkReceiveBuffer()
            try client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
            let seconds = try Self.seconds {
                for _ in 0..<400 where test.server.connectionCount > 0 {
                    _ = try client.bytes(1000)
                    usleep(100_000)
                }
            }
            #expect(seconds < 20)
            #expect(eventually { test.server.connectionCount == 0 })
        }
    }

    @Test func `limits end a silent connection`() async throws {
        try await TestServer.run(configure: Self.short) { test throws in
            let client = try test.connect(patience: 40)
            #expect(try client.request("GET", "/hello").status == 200)
            #expect(Self.seconds { _ = try? client.isAtEnd() } < 20)
            #expect(eventually { test.server.connectionCount == 0 })
        }
    }

    @Test func `answer for a handler that never does`() async throws {
        let resumptions = Mutex<[Resumption]>([])
        try await TestServer.run(
            configure: {
                Self.short(&$0)
                // The test has this long to answer the second request, and as long as it needs to send it.
                $0.handlingDeadline = .seconds(5)
                $0.idleTimeout = .seconds(60)
            },
            routes: { router in
                router.add(.get, "/never") { _ in
                    .suspended { resumption in resumptions.withLock { $0.append(resumption) } }
                }
            }
        ) { test throws in
            let client = try test.connect()
            let reply = try client.request("GET", "/never")
            #expect(reply.status == 503)
            #expect(reply.text == #"{"error":"TIMEOUT"}"#)
            try client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(eventually { resumptions.withLock(\.count) == 2 })
            // The late answer to the first request must not reach the second.
            let both = resumptions.withLock { $0 }
            both.first?.resume { .text("late") }
            both.last?.resume { .text("second") }
            #expect(try client.reply().text == "second")
        }
    }

    @Test func `limits do not affect clients that keep them`() async throws {
        // The connection outlives each limit, and every gap is far shorter than a limit, also on a slow machine.
        try await TestServer.run(configure: {
            $0.requestDeadline = .seconds(5)
            $0.handlingDeadline = .seconds(5)
            $0.responseDeadline = .seconds(5)
            $0.idleTimeout = .seconds(5)
        }) { test throws in
            let client = try test.connect()
            for _ in 0..<35 {
                #expect(try client.request("GET", "/hello").status == 200)
                usleep(200_000)
            }
        }
    }

    private static func drip(_ client: Client, _ text: String) {
        for byte in text.utf8 {
            guard (try? client.send([byte])) != nil else { return }
            usleep(100_000)
        }
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = Date()
        try body()
        return Date().timeIntervalSince(start)
    }
}
