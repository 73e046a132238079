import Foundation
import Glibc
import JSON

/// An HTTP connection on a plain socket, which sends exactly what a test wants.
///
/// It blocks, so use it on a separate thread; `TestServer.run` gives its body one.
final class HTTPConnection {
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Connects to a port of a loopback address.
    ///
    /// - Parameters:
    ///   - port: the port.
    ///   - host: the address.
    ///   - source: the loopback address of the client.
    init(port: UInt16, at host: String = "127.0.0.1", from source: String? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Broken(description: "no socket") }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        if let source {
            _ = unsafe HTTPConnection.withAddress(source, 0) { unsafe bind(descriptor, $0, $1) }
        }
        let result = unsafe HTTPConnection.withAddress(host, port) { unsafe connect(descriptor, $0, $1) }
        guard result == 0 else { throw Broken(description: "cannot connect: \(errno)") }
    }

    /// Connects to a Unix-domain socket.
    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Broken(description: "no socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Broken(description: "cannot connect: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Hangs up with a reset, so that the server notices even while the connection is suspended.
    func reset() {
        var immediately = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_LINGER,
            &immediately,
            socklen_t(MemoryLayout<linger>.size)
        )
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends bytes as they are.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Broken(description: "cannot send: \(errno)") }
            sent += count
        }
    }

    /// Reads one answer.
    func answer(toHead: Bool = false) throws -> Answer {
        let head = try head()
        var lines = head.split(separator: "\r\n").map(String.init)
        let first = lines.removeFirst()
        guard first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
            throw Broken(description: "no status line: \(first)")
        }
        let headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]).lowercased(), value: parts[1].trimmingCharacters(in: .whitespaces))
        }
        var answer = Answer(status: status, headers: headers, body: [])
        guard !toHead, status != 204, status != 304 else { return answer }
        if answer.header("transfer-encoding") == "chunked" {
            answer.body = try chunks()
            return answer
        }
        answer.body = try take(answer.header("content-length").flatMap { Int($0) } ?? 0)
        return answer
    }

    /// Reads a body in chunks (RFC 9112, section 7.1).
    private func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let size = try line()
            guard let length = Int(size, radix: 16) else { throw Broken(description: "no chunk: \(size)") }
            body += try take(length)
            _ = try line()
            if length == 0 { return body }
        }
    }

    /// Reads a line without its end.
    private func line() throws -> String {
        let end = Array("\r\n".utf8)
        while true {
            if let range = buffer.firstRange(of: end) {
                defer { buffer.removeSubrange(..<range.upperBound) }
                return String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
            }
            try fill()
        }
    }

    private func take(_ length: Int) throws -> [UInt8] {
        while buffer.count < length { try fill() }
        defer { buffer.removeFirst(length) }
        return Array(buffer.prefix(length))
    }

    private func head() throws -> String {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = buffer.firstRange(of: end) {
                defer { buffer.removeSubrange(..<range.upperBound) }
                return String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
            }
            try fill()
        }
    }

    private func fill() throws {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(descriptor, &piece, piece.count, 0)
        // With a time limit, even a pause of the whole machine interrupts the call.
        if count < 0, errno == EINTR { return try fill() }
        guard count > 0 else {
            throw Broken(description: count == 0 ? "the server closed the connection" : "cannot receive: \(errno)")
        }
        buffer += piece[..<count]
    }

    private static func withAddress<Result>(
        _ host: String,
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, host, &address.sin_addr)
        return unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

/// An answer as received.
struct Answer: Sendable {
    let status: Int
    /// The headers, with names in lower case.
    let headers: [(name: String, value: String)]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue.parse(body)) ?? .null }

    /// The first header with a name, in lower case.
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// A string of the body's object.
    subscript(_ name: String) -> String { json[name]?.string ?? "" }

    /// The member names of the body's object.
    var keys: [String] { json.object?.members.map(\.name) ?? [] }

    /// `error.message` of the envelope.
    var message: String { json["error"]?["message"]?.string ?? "" }

    /// The stable code at the start of `error.message`; `ok` if the call succeeded.
    var code: String {
        if status == 200 { return "ok" }
        return message.components(separatedBy: " : ").first ?? ""
    }

    /// Whether the code was right or wrong, but came before the server has recorded that its e-mail was sent.
    ///
    /// Every call asks for it, and the code is looked for only where it can be, because reading it is slow.
    var isMailPending: Bool { status == 400 && header("retry-after") != nil && code == "MAIL_PENDING" }
}
