import Glibc

/// A socket that sends exactly what a test wants.
final class RawClient {
    struct Failed: Error {
        let call: String
        let code: Int32
    }

    private let socket: Int32

    init(port: UInt16, timeout: Duration = .seconds(20)) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failed(call: "socket", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // Thrown after everything is initialized, so that deinit closes the socket.
        guard result == 0 else { throw Failed(call: "connect", code: errno) }
        try shorten(to: timeout)
    }

    /// Sets the time limit of each send or receive.
    func shorten(to timeout: Duration) throws {
        var limit = timeval(
            tv_sec: Int(timeout.components.seconds),
            tv_usec: Int(timeout.components.attoseconds / 1_000_000_000_000)
        )
        let size = socklen_t(MemoryLayout<timeval>.size)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            guard unsafe setsockopt(socket, SOL_SOCKET, option, &limit, size) == 0 else {
                throw Failed(call: "setsockopt", code: errno)
            }
        }
    }

    deinit { close(socket) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest)
            let count = unsafe Glibc.send(socket, piece, piece.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { throw Failed(call: "send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns this many whole replies, or fewer if the server ends the connection or the time is up.
    func replies(_ count: Int = 1) throws -> [String] {
        var replies: [String] = []
        while replies.count < count {
            while let end = buffer.firstIndex(of: 10) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                let text = line.hasSuffix("\r") ? String(line.dropLast()) : line + "<no CR>"
                pending.append(text)
                guard Array(text.utf8).dropFirst(3).first != UInt8(ascii: "-") else { continue }
                replies.append(pending.joined(separator: "\n"))
                pending = []
                if replies.count == count { return replies }
            }
            guard let more = try receive() else { return replies }
            buffer += more
        }
        return replies
    }

    func reply() throws -> String { try replies().first ?? "" }

    /// Sends one line and returns the reply.
    func ask(_ line: String) throws -> String {
        try send(line + "\r\n")
        return try reply()
    }

    /// Receives bytes; nil at the end of the stream.
    func receive() throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(socket, &bytes, bytes.count, 0)
        guard count >= 0 else { throw Failed(call: "recv", code: errno) }
        return count == 0 ? nil : Array(bytes[..<count])
    }

    private var buffer: [UInt8] = []
    private var pending: [String] = []
}
