import Foundation
import Network
import Testing
import Transfer

@Suite("HTTP client", .timeLimit(.minutes(1)))
struct HTTPClientTests {
    @Test
    func `an answer has status, fields and body`() async throws {
        let server = try Self.server("HTTP/1.1 418 Odd\r\nX-One:  a  b \r\nx-two: c\r\nContent-Length: 3\r\n\r\nabc")
        defer { server.stop() }
        let response = try await HTTPClient().send(HTTPRequest("GET", "http://127.0.0.1:\(server.port)/p?q=1"))
        #expect(response.status == 418)
        #expect(response.header("x-one") == "a b")
        #expect(response.header("X-Two") == "c")
        #expect(response.header("absent") == nil)
        #expect(response.body == Array("abc".utf8))
        #expect(server.received.first == "GET /p?q=1 HTTP/1.1")
    }

    @Test
    func `method, fields and body are sent as given and nothing is guessed`() async throws {
        let server = try Self.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        defer { server.stop() }
        let client = HTTPClient()
        let url = "http://127.0.0.1:\(server.port)/"
        _ = try await client.send(
            HTTPRequest("PATCH", url, headers: [("X-A", "1"), ("X-Empty", "")], body: Array("{}\n".utf8))
        )
        #expect(server.received.contains("PATCH / HTTP/1.1"))
        #expect(server.received.contains("X-A: 1"))
        #expect(server.received.contains("X-Empty:"))
        #expect(server.received.contains("Content-Length: 3"))
        #expect(!server.received.contains { $0.hasPrefix("Content-Type") || $0.hasPrefix("Expect") })
        _ = try await client.send(HTTPRequest("POST", url, body: []))
        #expect(server.received.contains("Content-Length: 0"))
        _ = try await client.send(HTTPRequest("HEAD", url))
        _ = try await client.send(HTTPRequest("DELETE", url))
        #expect(server.received.contains("DELETE / HTTP/1.1"))
    }

    @Test
    func `a redirect is an answer and is not followed`() async throws {
        let server = try Self.server("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
        defer { server.stop() }
        let response = try await HTTPClient().send(HTTPRequest("GET", "http://127.0.0.1:\(server.port)/"))
        #expect(response.status == 302)
    }

    @Test
    func `an answer beyond the limit is refused`() async throws {
        let server = try Self.server("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890")
        defer { server.stop() }
        var limits = HTTPClient.Limits()
        limits.maximumBody = 10
        let error = await #expect(throws: TransferError.self) {
            try await HTTPClient(limits: limits).send(HTTPRequest("GET", "http://127.0.0.1:\(server.port)/"))
        }
        #expect(error?.kind == .tooLarge)
    }

    @Test
    func `a silent server runs into the time limit`() async throws {
        let server = try Self.server(nil)
        defer { server.stop() }
        var limits = HTTPClient.Limits()
        limits.totalTimeout = 300
        let error = await #expect(throws: TransferError.self) {
            try await HTTPClient(limits: limits).send(HTTPRequest("GET", "http://127.0.0.1:\(server.port)/"))
        }
        #expect(error?.kind == .timedOut)
    }

    @Test
    func `cancelling the task ends the exchange`() async throws {
        let server = try Self.server(nil)
        defer { server.stop() }
        let task = Task { [port = server.port] () -> TransferError? in
            do throws(TransferError) {
                _ = try await HTTPClient().send(HTTPRequest("GET", "http://127.0.0.1:\(port)/"))
                return nil
            } catch { return error }
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1:25/_MAIL", "smtp://127.0.0.1/", "nonsense", "",
    ])
    func `only http and https are spoken`(_ url: String) async throws {
        let error = await #expect(throws: TransferError.self) { try await HTTPClient().send(HTTPRequest("GET", url)) }
        #expect(error?.kind == .invalid)
    }

    @Test
    func `a field or method that breaks its line is refused`() async throws {
        for request in [
            HTTPRequest("GET", "http://127.0.0.1:1/", headers: [("X-A", "1\r\nX-B: 2")]),
            HTTPRequest("GET", "http://127.0.0.1:1/", headers: [("X A", "1")]),
            HTTPRequest("GET / HTTP/1.1\r\nX: 1\r\n", "http://127.0.0.1:1/"),
        ] {
            let error = await #expect(throws: TransferError.self) { try await HTTPClient().send(request) }
            #expect(error?.kind == .invalid)
        }
    }

    @Test
    func `a closed port is unreachable`() async throws {
        let server = try Self.server(nil)
        server.stop()
        let error = await #expect(throws: TransferError.self) {
            try await HTTPClient().send(HTTPRequest("GET", "http://127.0.0.1:\(server.port)/"))
        }
        #expect(error?.kind == .unreachable)
    }

    @Test
    func `the gate sees the address connected to, whatever the name resolved to before`() async throws {
        let server = try PlainServer(greeting: nil, isEverywhere: true) {
            $0.isEmpty ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" : nil
        }
        defer { server.stop() }
        // 127.0.0.2 stands for a public address that the name resolves to first; a loopback address follows.
        var limits = HTTPClient.Limits()
        limits.gate = .publicOnly(allowing: [try #require(AddressRange("127.0.0.2"))])
        let request = HTTPRequest("GET", "http://hook.example.com:\(server.port)/first")
        limits.names = ["hook.example.com:\(server.port):127.0.0.2"]
        #expect(try await HTTPClient(limits: limits).send(request).status == 200)
        for inner in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254", "10.0.0.1"] {
            limits.names = ["hook.example.com:\(server.port):\(inner)"]
            let client = HTTPClient(limits: limits)
            let error = await #expect(throws: TransferError.self, "\(inner)") { try await client.send(request) }
            #expect(error?.kind == .forbidden, "\(inner)")
        }
        #expect(server.received.count { $0.hasPrefix("GET ") } == 1)
    }

    @Test
    func `a connection that is kept open was let through when it was made`() async throws {
        let server = try Self.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        defer { server.stop() }
        var limits = HTTPClient.Limits()
        limits.gate = .publicOnly()
        let client = HTTPClient(limits: limits)
        for _ in 0..<2 {
            let error = await #expect(throws: TransferError.self) {
                try await client.send(HTTPRequest("GET", "http://127.0.0.1:\(server.port)/"))
            }
            #expect(error?.kind == .forbidden)
        }
        #expect(server.received.isEmpty)
    }

    @Test
    func `a body that drips runs into the time limit`() async throws {
        let server = try PlainServer(greeting: nil) { line in
            guard line.isEmpty else { return nil }
            Thread.sleep(forTimeInterval: 0.1)
            return "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx"
        }
        defer { server.stop() }
        var limits = HTTPClient.Limits()
        limits.totalTimeout = 500
        let error = await #expect(throws: TransferError.self) {
            try await HTTPClient(limits: limits).send(HTTPRequest("GET", "http://127.0.0.1:\(server.port)/"))
        }
        #expect(error?.kind == .timedOut)
    }

    /// Starts a server that gives the same answer to every request.
    private static func server(_ answer: String?) throws -> PlainServer {
        try PlainServer(greeting: nil) { $0.isEmpty ? answer : nil }
    }
}
