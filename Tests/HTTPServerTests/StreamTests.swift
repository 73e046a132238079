import Foundation
import HTTPServer
import Synchronization
import Testing

@Suite("A stream") struct StreamTests {
    private static let head = Response(headers: [("Content-Type", "text/event-stream")])

    /// Runs a server whose `/stream` passes its writers to the test.
    private static func run(
        configure: (inout HTTPConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (TestServer, Writers) throws -> Void
    ) async throws {
        let writers = Writers()
        try await TestServer.run(
            configure: configure,
            routes: { router in
                router.add(.get, "/stream") { _ in .stream(head) { writers.add($0) } }
            }
        ) { try body($0, writers) }
    }

    @Test func `sends its head at once and bytes as they come`() async throws {
        try await Self.run { test, writers throws in
            let client = try test.connect()
            try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            // The head arrives although the stream has no bytes yet.
            let head = try client.head()
            #expect(head.contains("200 OK"))
            #expect(head.contains("text/event-stream"))
            let writer = try #require(writers.first)
            for number in 0..<50 {
                #expect(writer.write(Array("event \(number)\n".utf8)) == .accepted)
                #expect(try client.chunk() == Array("event \(number)\n".utf8))
            }
            writer.finish()
            #expect(try client.chunk() == nil)
            #expect(writer.write([1]) == .closed)
            #expect(eventually { writer.isClosed })
            #expect(try client.request("GET", "/hello").text == "hello")
        }
    }

    @Test func `a stream takes writes from many threads`() async throws {
        try await Self.run { test, writers throws in
            let client = try test.connect()
            try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.head()
            let writer = try #require(writers.first)
            let done = Atomic(0)
            for letter in "abcd".utf8 {
                Thread.detachNewThread {
                    for _ in 0..<2000 {
                        while writer.write([letter]) == .full { usleep(100) }
                    }
                    if done.add(1, ordering: .relaxed).newValue == 4 { writer.finish() }
                }
            }
            var counts: [UInt8: Int] = [:]
            while let chunk = try client.chunk() {
                for byte in chunk { counts[byte, default: 0] += 1 }
            }
            #expect(counts == [0x61: 2000, 0x62: 2000, 0x63: 2000, 0x64: 2000])
        }
    }

    @Test func `holds a bounded amount for a slow client`() async throws {
        try await Self.run(configure: { $0.streamBuffer = 10_000 }) { test, writers throws in
            let client = try test.connect()
            try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            let writer = try #require(writers.first)
            let piece = [UInt8](repeating: 0x61, count: 1000)
            var written = 0
            // Until the system's buffers are full as well.
            while written < 50_000_000, eventually(within: 3, { writer.write(piece) == .accepted }) {
                written += 1000
            }
            #expect(written < 50_000_000)
            #expect(writer.waiting <= 10_000)
            let isWritable = Mutex(false)
            writer.whenWritable { isWritable.withLock { $0 = true } }
            #expect(!isWritable.withLock { $0 })
            _ = try client.head()
            var read = 0
            while read < written - 20_000 { read += try client.chunk()?.count ?? 0 }
            #expect(eventually { isWritable.withLock { $0 } })
            #expect(writer.write(piece) == .accepted)
            writer.finish()
            while let chunk = try client.chunk() { read += chunk.count }
            #expect(read == written + 1000)
        }
    }

    @Test func `lets a task wait for room`() async throws {
        try await TestServer.run(
            configure: { $0.streamBuffer = 1000 },
            routes: { router in
                router.add(.get, "/numbers") { _ in
                    .stream(Self.head) { writer in
                        Task {
                            for _ in 0..<500 { try await writer.send([UInt8](repeating: 0x61, count: 700)) }
                            writer.finish()
                        }
                    }
                }
            }
        ) { test throws in
            #expect(try test.connect().request("GET", "/numbers").body.count == 350_000)
        }
    }

    @Test func `sends an event longer than its buffer`() async throws {
        try await Self.run(configure: { $0.streamBuffer = 1000 }) { test, writers throws in
            let client = try test.connect()
            try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            let writer = try #require(writers.first)
            #expect(writer.write([UInt8](repeating: 0x61, count: 300_000)) == .accepted)
            writer.finish()
            #expect(try client.reply().body.count == 300_000)
        }
    }

    @Test(arguments: [false, true])
    func `notices that its client left`(isReset: Bool) async throws {
        try await Self.run { test, writers throws in
            let client = try test.connect()
            try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.head()
            let writer = try #require(writers.first)
            let closes = Atomic(0)
            writer.whenClosed { closes.add(1, ordering: .relaxed) }
            if isReset {
                // Closing with unread data resets the connection.
                writer.write([1, 2, 3])
                usleep(50_000)
            }
            client.close()
            #expect(eventually(within: 20) { writer.isClosed })
            #expect(eventually { test.server.connectionCount == 0 })
            #expect(writer.write([1]) == .closed)
            #expect(closes.load(ordering: .relaxed) == 1)
            writer.whenClosed { closes.add(1, ordering: .relaxed) }
            #expect(closes.load(ordering: .relaxed) == 2)
        }
    }

    @Test func `frees its connection when its client left, though others are older`() async throws {
        try await Self.run { test, writers throws in
            let older = try (0..<3).map { _ in try test.connect() }
            for client in older { _ = try client.request("GET", "/hello") }
            for _ in 0..<20 {
                let client = try test.connect()
                try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.head()
                client.close()
            }
            #expect(eventually(within: 20) { test.server.connectionCount == 3 })
        }
    }

    @Test(.oneAtATime) func `a stream may wait long beside a thousand others`() async throws {
        try await Self.run(configure: {
            $0.idleTimeout = .seconds(patience)
            $0.requestDeadline = .seconds(10 * patience)
            $0.handlingDeadline = .seconds(patience)
            $0.responseDeadline = .seconds(patience)
        }) { test, writers throws in
            // One after the other, because a connection without a request is closed after a second.
            let clients = try (0..<1000).map { _ in try Self.listening(to: test) }
            usleep(UInt32(2_500_000 * patience))
            #expect(eventually { writers.all.count { !$0.isClosed } == 1000 })
            for writer in writers.all where !writer.isClosed { #expect(writer.write(Array("event".utf8)) == .accepted) }
            for client in clients { #expect(try client.chunk() == Array("event".utf8)) }
            #expect(try test.connect().request("GET", "/hello").text == "hello")
        }
    }

    /// Connects and waits for the head of a stream.
    ///
    /// Connects again if the machine was so slow that the server closed the connection before its request.
    private static func listening(to test: TestServer) throws -> Client {
        var attempts = 0
        while true {
            do {
                let client = try test.connect()
                try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.head()
                return client
            } catch {
                attempts += 1
                if attempts == 5 { throw error }
            }
        }
    }

    @Test func `a stream is not started for HEAD`() async throws {
        try await Self.run { test, writers throws in
            let client = try test.connect()
            let reply = try client.request("HEAD", "/stream")
            #expect(reply.status == 200)
            #expect(reply["Content-Type"] == "text/event-stream")
            #expect(try client.isAtEnd())
            #expect(writers.all.isEmpty)
        }
    }

    @Test func `a stream ends with its client's connection while many write`() async throws {
        try await Self.run { test, writers throws in
            for _ in 0..<50 {
                let client = try test.connect()
                try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.head()
                let writer = try #require(writers.take())
                Thread.detachNewThread { while writer.write([0x61]) != .closed {} }
                Thread.detachNewThread { while writer.write([0x62]) != .closed {} }
                _ = try client.chunk()
                client.close()
                #expect(eventually { writer.isClosed })
            }
            #expect(eventually { test.server.connectionCount == 0 })
        }
    }
}

/// The writers of a server's streams.
final class Writers: Sendable {
    private let state = Mutex<[StreamWriter]>([])

    func add(_ writer: StreamWriter) {
        state.withLock { $0.append(writer) }
    }

    var all: [StreamWriter] { state.withLock(\.self) }

    /// The first writer, once there is one.
    var first: StreamWriter? {
        _ = eventually { !all.isEmpty }
        return all.first
    }

    /// Removes and returns the first writer, once there is one.
    func take() -> StreamWriter? {
        _ = eventually { !all.isEmpty }
        return state.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
