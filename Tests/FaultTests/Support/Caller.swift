import Dispatch
import Glibc
import JSON

/// An answer.
struct Reply: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    /// The time from the first byte sent to the last byte read.
    let milliseconds: Double

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue? { try? JSONValue.parse(body) }
    /// A string of the answer.
    subscript(_ name: String) -> String? { json?[name]?.string }
    /// The stable code of an error: the first word of its message.
    var code: String? { (json?["error"]?["message"]?.string?.split(separator: " ").first).map { String($0) } }

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }
}

/// The connection was closed or refused.
struct Lost: Error, CustomStringConvertible {
    let description: String
    /// Whether a request was under way, so that its outcome is unknown.
    var isUnanswered = false
}

/// One kept HTTP connection on its own queue, so that waiting for it blocks no other task.
final class Caller: @unchecked Sendable {  // everything but `queue` is touched on the queue only, and at the end
    private let queue = DispatchQueue(label: "caller")
    private let descriptor: Int32
    private let port: UInt16
    private var buffer: [UInt8] = []

    /// Connects.
    init(port: UInt16, patience: Int = 20) throws {
        self.port = port
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Lost(description: "no socket: \(errno)") }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Lost(description: "cannot connect: \(errno)") }
    }

    deinit { close(descriptor) }

    /// POSTs JSON.
    func post(_ path: String, _ body: JSONValue) async throws -> Reply {
        try await request("POST", path, ["Content-Type: application/json"], body.serialized())
    }

    /// Makes an account call.
    func call(_ name: String, _ body: JSONValue = [:]) async throws -> Reply {
        try await post("/v1/accounts:\(name)?key=k", body)
    }

    /// POSTs a form.
    func post(_ path: String, form: String) async throws -> Reply {
        try await request("POST", path, ["Content-Type: application/x-www-form-urlencoded"], Array(form.utf8))
    }

    func get(_ path: String) async throws -> Reply {
        try await request("GET", path)
    }

    /// Sends bytes as they are.
    func send(_ text: String) async throws {
        try await onQueue { try self.write(Array(text.utf8)) }
    }

    /// Reads one answer.
    func reply() async throws -> Reply {
        try await onQueue { try self.read(since: .now) }
    }

    /// Sends any request.
    func request(
        _ method: String,
        _ path: String,
        _ headers: [String] = [],
        _ body: [UInt8] = []
    ) async throws -> Reply {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
        if !body.isEmpty || method == "POST" { lines.append("Content-Length: \(body.count)") }
        let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        return try await onQueue {
            let start = ContinuousClock.now
            try self.write(bytes)
            return try self.read(since: start)
        }
    }

    private func onQueue<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Lost(description: "cannot send: \(errno)", isUnanswered: sent > 0) }
            sent += count
        }
    }

    private func read(since start: ContinuousClock.Instant) throws -> Reply {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = buffer.indices.first { buffer[$0...].starts(with: end) }
            if headEnd == nil { try fill() }
        }
        let head = String(decoding: buffer[..<(headEnd ?? 0)], as: UTF8.self)
        buffer.removeFirst((headEnd ?? 0) + end.count)
        var lines = head.split(separator: "\r\n")
        let status = lines.removeFirst().split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        while buffer.count < length { try fill() }
        let body = Array(buffer[..<length])
        buffer.removeFirst(length)
        return Reply(
            status: status,
            headers: headers,
            body: body,
            milliseconds: (ContinuousClock.now - start) / .milliseconds(1)
        )
    }

    private func fill() throws {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe recv(descriptor, &piece, piece.count, 0)
        // With a time limit, even a pause of the whole machine interrupts the call.
        if count < 0, errno == EINTR { return try fill() }
        guard count > 0 else {
            throw Lost(
                description: count == 0 ? "the server closed the connection" : "cannot receive: \(errno)",
                isUnanswered: true
            )
        }
        buffer += piece[..<count]
    }
}
