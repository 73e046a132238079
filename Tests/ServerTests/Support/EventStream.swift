import Database
import Foundation
import Glibc
import JSON
import Server
import Testing

/// A client of `documents:listen` on a plain socket, which reads as slowly as a test wants.
final class EventStream {
    /// An event as received.
    struct Event: Sendable {
        var name = ""
        var id: Int64?
        var data: JSONValue = .null

        /// A string of the data's object.
        subscript(_ name: String) -> String { data[name]?.string ?? "" }
    }

    struct Silence: Error {}

    /// The seconds after which silence is a fault, even on a busy machine where the server first serves streams that are far
    /// behind.
    static let patience: Double = 60

    let head: Answer
    private(set) var heartbeats = 0
    private let descriptor: Int32
    /// Received bytes that have not been decoded yet.
    private var raw: [UInt8] = []
    /// The decoded body that has not been read yet.
    private var body: [UInt8] = []
    private var isAtEnd = false

    /// Connects and reads the head of the response.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - token: the ID token.
    ///   - last: `Last-Event-ID`.
    ///   - query: such as `?collection=notes`.
    ///   - headers: further headers, as lines.
    ///   - receiveBuffer: the size to which the system's buffer for a client that does not read is reduced.
    init(
        _ server: TestServer,
        _ token: String,
        after last: String? = nil,
        query: String = "",
        headers: [String] = [],
        receiveBuffer: Int32? = nil
    ) throws {
        descriptor = try EventStream.connect(to: server.port, receiveBuffer: receiveBuffer)
        var lines = headers + ["Authorization: Bearer \(token)"]
        if let last { lines.append("Last-Event-ID: \(last)") }
        let request = TestServer.request("GET", "/v1/documents:listen\(query)", headers: lines, body: [])
        do {
            (head, raw) = try EventStream.ask(request, descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Returns the next event; `nil` once the stream has ended properly.
    ///
    /// - Throws: ``Silence`` if nothing arrives in time; `HTTPConnection.Broken` if the connection breaks.
    func next(within seconds: Double = patience) throws -> Event? {
        let deadline = Date().addingTimeInterval(seconds)
        while true {
            while let chunk = takeChunk() {
                body += chunk
                isAtEnd = isAtEnd || chunk.isEmpty
            }
            if let event = try takeEvent() { return event }
            if isAtEnd { return nil }
            try receive(until: deadline)
        }
    }

    /// Returns the next event, which must be a change.
    func change(within seconds: Double = patience) throws -> Event {
        let event = try #require(try next(within: seconds), "the stream ended")
        #expect(event.name == "change", "\(event)")
        return event
    }

    /// Reads the event that marks the start of the stream.
    @discardableResult
    func ready(_ name: String = "ready") throws -> Int64 {
        let event = try #require(try next(), "the stream ended")
        #expect(event.name == name, "\(event)")
        return try #require(event.id)
    }

    /// Reads up to the event that ends the stream, and checks that the stream ends.
    func end(within seconds: Double = patience) throws -> Event {
        let deadline = Date().addingTimeInterval(seconds)
        while let event = try next(within: deadline.timeIntervalSinceNow) {
            guard event.name == "end" else { continue }
            #expect(try next() == nil)
            return event
        }
        throw HTTPConnection.Broken(description: "the stream ended without a word")
    }

    /// Whether only heartbeats arrive for this time.
    func isSilent(for seconds: Double) -> Bool {
        do {
            _ = try next(within: seconds)
            return false
        } catch { return error is Silence }
    }

    /// Whether this many heartbeats arrive in time, and no event before them.
    func onlyHeartbeats(_ count: Int) -> Bool {
        let deadline = Date().addingTimeInterval(Self.patience), goal = heartbeats + count
        while heartbeats < goal, deadline.timeIntervalSinceNow > 0 {
            guard isSilent(for: 0.1) else { return false }
        }
        return heartbeats >= goal
    }

    private func takeEvent() throws -> Event? {
        while let end = Self.find("\n\n", in: body) {
            let block = Array(body[...end])
            body.removeSubrange(..<(end + 2))
            var event = Event()
            var isHeartbeat = true
            var start = 0
            while let end = Self.find("\n", in: block, from: start) {
                let line = String(decoding: block[start..<end], as: UTF8.self)
                start = end + 1
                if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { event.id = Int64(line.dropFirst(4)) }
                guard line.hasPrefix("data:") else { continue }
                isHeartbeat = false
                event.data = try JSONValue.parse(Array(line.utf8.dropFirst(6)))
            }
            guard isHeartbeat else { return event }
            heartbeats += 1
        }
        return nil
    }

    /// Returns where a text begins in bytes, at or after an index.
    ///
    /// The C library searches, because Swift's generic search is slow in debug builds.
    private static func find(_ text: StaticString, in bytes: [UInt8], from start: Int = 0) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            let end = bytes.count - text.utf8CodeUnitCount + 1
            var start = start
            while start < end, let found = unsafe memchr(base + start, Int32(text.utf8Start.pointee), end - start) {
                if unsafe memcmp(found, text.utf8Start, text.utf8CodeUnitCount) == 0 {
                    return unsafe UnsafeRawPointer(found) - base
                }
                start = unsafe UnsafeRawPointer(found) - base + 1
            }
            return nil
        }
    }

    private func receive(until deadline: Date) throws {
        let milliseconds = deadline.timeIntervalSinceNow * 1000
        var asked = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard milliseconds > 0, unsafe poll(&asked, 1, Int32(milliseconds) + 1) > 0 else { throw Silence() }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { throw HTTPConnection.Broken(description: "the connection broke: \(count)") }
        raw += piece[..<count]
    }

    /// Takes a whole chunk (RFC 9112, section 7.1) from the received bytes; the last chunk is empty.
    private func takeChunk() -> [UInt8]? {
        guard let end = Self.find("\r\n", in: raw),
            let size = Int(String(decoding: raw[..<end], as: UTF8.self), radix: 16),
            raw.count >= end + 2 + size + 2
        else { return nil }
        let start = end + 2
        defer { raw.removeSubrange(..<(start + size + 2)) }
        return Array(raw[start..<(start + size)])
    }

    /// Sends the request and reads the head of the response, and possibly more.
    private static func ask(_ request: [UInt8], _ descriptor: Int32) throws -> (Answer, rest: [UInt8]) {
        _ = unsafe request.withUnsafeBytes { bytes in
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        var bytes: [UInt8] = []
        while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { throw HTTPConnection.Broken(description: "no answer") }
            bytes += piece[..<count]
        }
        let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound ?? 0
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            return (name: parts[0].lowercased(), value: parts[1].trimmingCharacters(in: .whitespaces))
        }
        let rest = Array(bytes[(end + 4)...])
        let answer = Answer(status: Int(lines[0].split(separator: " ")[1]) ?? 0, headers: headers, body: rest)
        return (answer, rest)
    }

    private static func connect(to port: UInt16, receiveBuffer: Int32?) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw HTTPConnection.Broken(description: "cannot connect: \(errno)")
        }
        return descriptor
    }
}

extension TestServer {
    /// Makes a call on documents.
    func documents(_ method: String, _ path: String = "", _ token: String, _ body: JSONValue? = nil) throws -> Answer {
        try send(
            method,
            "/v1/documents\(path)",
            headers: ["Authorization: Bearer \(token)", "Content-Type: application/json"],
            body: body?.serialized() ?? []
        )
    }

    /// Sets a document.
    func set(_ path: String, _ token: String, _ document: JSONValue = [:]) throws {
        let answer = try documents("PUT", "/\(path)", token, document)
        #expect([200, 201].contains(answer.status), "\(answer.text)")
    }

    /// Sets this many documents of one collection, in few calls.
    func set(_ count: Int, in collection: String, _ token: String, _ document: JSONValue = [:], atOnce: Int = 500)
        throws
    {
        for start in stride(from: 0, to: count, by: atOnce) {
            let writes = (start..<min(start + atOnce, count)).map { number in
                ["collection": .string(collection), "id": .string("d\(number)"), "set": document] as JSONValue
            }
            let answer = try documents("PATCH", "", token, ["writes": .array(writes)])
            #expect(answer.status == 200, "\(answer.text)")
        }
    }
}
