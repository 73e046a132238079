import Foundation
import Synchronization
import Testing
import Transfer

@Suite("HTTP streams", .timeLimit(.minutes(1)))
struct HTTPStreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    /// Starts a server that answers with this text once the request is read, and keeps the connection open.
    private static func server(_ answer: String) throws -> PlainServer {
        try PlainServer(greeting: nil) { line in line.isEmpty ? answer : nil }
    }

    private static func open(_ server: PlainServer, idle: Int = 5000) async throws(TransferError) -> HTTPStream {
        var limits = HTTPStream.Limits()
        limits.idleTimeout = idle
        let url = "http://127.0.0.1:\(server.port)/events"
        return try await HTTPStream.open(HTTPRequest("GET", url, headers: [("X-A", "1")]), limits)
    }

    @Test
    func `bytes come while the answer goes on`() async throws {
        let server = try Self.server("HTTP/1.1 100 Continue\r\n\r\n" + Self.head + "data: 1\n\n")
        defer { server.stop() }
        let stream = try await Self.open(server)
        #expect(stream.status == 200)
        #expect(stream.headers.map(\.name) == ["Content-Type"])
        #expect(stream.headers.first?.value == "text/event-stream")
        #expect(try await stream.next() == Array("data: 1\n\n".utf8))
        #expect(server.received.contains("X-A: 1") && server.received.contains("GET /events HTTP/1.1"))
    }

    @Test
    func `an answer that is whole ends`() async throws {
        let server = try Self.server("HTTP/1.1 429 Too Many\r\nContent-Length: 2\r\n\r\n{}")
        defer { server.stop() }
        let stream = try await Self.open(server)
        #expect(stream.status == 429)
        #expect(try await stream.next() == Array("{}".utf8))
        #expect(try await stream.next() == nil)
        #expect(try await stream.next() == nil)
    }

    @Test
    func `silence ends it, before the head and after`() async throws {
        for answer in ["", Self.head] {
            let server = try Self.server(answer)
            defer { server.stop() }
            let error = await #expect(throws: TransferError.self) {
                _ = try await Self.open(server, idle: 500).next()
            }
            #expect(error?.kind == .timedOut)
        }
    }

    @Test
    func `cancelling its task ends the waiting at once`() async throws {
        let server = try Self.server(Self.head)
        defer { server.stop() }
        let stream = try await Self.open(server, idle: 60_000)
        let start = ContinuousClock.now
        let reading = Task { try await stream.next() }
        try await Task.sleep(for: .milliseconds(100))
        reading.cancel()
        await #expect(throws: TransferError.self) { _ = try await reading.value }
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test
    func `a slow reader gets all of it, and the rest waits for it`() async throws {
        let size = 8 << 20
        let server = try Self.server(
            "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "x", count: size)
        )
        defer { server.stop() }
        let stream = try await Self.open(server)
        var count = 0
        while let bytes = try await stream.next() {
            #expect(bytes.count <= (1 << 20) + (1 << 16))
            count += bytes.count
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(count == size)
    }

    @Test
    func `a closed port is an error`() async throws {
        let server = try Self.server("")
        server.stop()
        try await Task.sleep(for: .milliseconds(50))
        let error = await #expect(throws: TransferError.self) { _ = try await Self.open(server) }
        #expect(error?.kind == .unreachable)
    }
}
