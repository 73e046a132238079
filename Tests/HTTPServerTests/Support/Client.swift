import Foundation
import Glibc

/// An HTTP client on a plain socket, which sends exactly what a test wants.
final class Client {
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isOpen = true

    /// Connects to a port of a loopback address.
    init(port: UInt16, host: String = "127.0.0.1", from source: String? = nil, patience: Int = 20) throws {
        descriptor = socket(host.contains(":") ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Broken(description: "no socket") }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        if let source {
            _ = unsafe Client.withAddress(source, 0) { unsafe bind(descriptor, $0, $1) }
        }
        let result = unsafe Client.withAddress(host, port) { unsafe connect(descriptor, $0, $1) }
        // All properties are set, so that `deinit` closes the socket.
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

    deinit { close() }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    /// Sends nothing more, but still reads.
    func closeWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Keeps the system from receiving more than a few bytes ahead of the reader.
    func shrinkReceiveBuffer() {
        var size: Int32 = 4096
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

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

    /// Sends a request with a Host and reads its answer.
    func request(
        _ method: String = "GET",
        _ target: String,
        headers: [String] = [],
        body: String = ""
    ) throws -> Reply {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try reply(toHead: method == "HEAD")
    }

    /// Reads one answer.
    func reply(toHead: Bool = false) throws -> Reply {
        let head = try line(endingWith: "\r\n\r\n")
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        let first = lines.removeFirst()
        guard first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
            throw Broken(description: "no status line: \(first)")
        }
        let headers = lines.filter { !$0.isEmpty }.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: parts[1].trimmingCharacters(in: .whitespaces))
        }
        var reply = Reply(status: status, headers: headers, body: [])
        if toHead || status == 204 || status == 304 || status < 200 { return reply }
        if reply["Transfer-Encoding"] == "chunked" {
            while let chunk = try chunk() { reply.body += chunk }
        } else if let length = reply["Content-Length"].flatMap({ Int($0) }) {
            reply.body = try bytes(length)
        } else {
            reply.body = try rest()
        }
        return reply
    }

    /// Reads the next chunk of a chunked body; nil for the last.
    func chunk() throws -> [UInt8]? {
        // A CRLF is one character.
        let size = Int(try line(endingWith: "\r\n").dropLast(), radix: 16) ?? 0
        let bytes = try bytes(size)
        _ = try self.bytes(2)
        return size == 0 ? nil : bytes
    }

    /// Reads the head of an answer, up to the empty line.
    func head() throws -> String {
        try line(endingWith: "\r\n\r\n")
    }

    /// Reads until the server closes; a reset counts as an end.
    func rest() throws -> [UInt8] {
        while try fill(orEnd: true) {}
        defer { buffer = [] }
        return buffer
    }

    /// Whether the server closed the connection and sent nothing more.
    func isAtEnd() throws -> Bool {
        try buffer.isEmpty && !fill(orEnd: true)
    }

    /// Returns the number of received packets with data, as the kernel counts them.
    func dataPackets() -> UInt32 {
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length)
        // `tcpi_data_segs_in` of linux/tcp.h's struct tcp_info.
        return unsafe info.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 152, as: UInt32.self) }
    }

    func bytes(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { _ = try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func line(endingWith end: String) throws -> String {
        let end = Array(end.utf8)
        var from = 0
        while true {
            var index = from
            while index + end.count <= buffer.count {
                if Array(buffer[index..<index + end.count]) == end {
                    return String(decoding: try bytes(index + end.count), as: UTF8.self)
                }
                index += 1
            }
            from = max(0, index - end.count)
            _ = try fill()
        }
    }

    private func fill(orEnd: Bool = false) throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(descriptor, &piece, piece.count, 0)
        if count > 0 {
            buffer += piece[..<count]
            return true
        }
        // With a time limit, even a pause of the whole machine interrupts the call.
        if count < 0, errno == EINTR { return try fill(orEnd: orEnd) }
        if orEnd, count == 0 || errno == ECONNRESET { return false }
        throw Broken(description: count == 0 ? "the server closed the connection" : "cannot receive: \(errno)")
    }

    private static func withAddress<Result>(
        _ host: String,
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        if host.contains(":") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
            return unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
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
struct Reply {
    let status: Int
    let headers: [(name: String, value: String)]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
