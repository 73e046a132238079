import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An HTTP server on a free loopback port that answers as a test defines: late, wrongly, or not at all.
///
/// It replaces the network, with faults that no real server makes on request. Each connection has its own thread and
/// carries one request.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        let method: String
        let path: String
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        /// A string member of a JSON body.
        subscript(name: String) -> String? {
            let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            return object?[name] as? String
        }
    }

    enum Reply: Sendable {
        case json(_ text: String, status: Int = 200, headers: [String: String] = [:])
        case error(_ code: String, status: Int = 400, headers: [String: String] = [:])
        case raw(String)
        /// Closes the connection after reading the request.
        case lost
        indirect case late(Duration, Reply)
        /// Waits until the test opens the gate, or until a time limit.
        indirect case after(Gate, Reply)
        /// Server-sent events: pieces in order, then the end of the connection.
        case events([Piece])
    }

    /// A gate that a reply may wait for once.
    final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func open() { semaphore.signal() }

        fileprivate func pass() { _ = semaphore.wait(timeout: .now() + 20) }
    }

    enum Piece: Sendable, ExpressibleByStringLiteral {
        case text(String)
        /// Waits until the test opens the gate, or until a time limit.
        case until(Gate)
        /// Waits until the client disconnects, or until a time limit.
        case hold
        /// Sends a line each tenth of a second, this many times or until the client disconnects.
        case drip(lines: Int)

        init(stringLiteral value: String) {
            self = .text(value)
        }

        static func event(_ name: String, id: Int? = nil, _ data: String = "") -> Self {
            .text((id.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data)\n\n")
        }

        static func change(_ number: Int, _ json: String, _ id: String = "number") -> Self {
            event(
                "change",
                id: number,
                #"{"collection":"favourites","id":"\#(id)","version":"\#(number)","document":\#(json)}"#
            )
        }

        static func end(_ reason: String, mergedInto uid: String? = nil) -> Self {
            event("end", #"{"reason":"\#(reason)"\#(uid.map { #","mergedInto":"\#($0)""# } ?? "")}"#)
        }
    }

    typealias Script = @Sendable (Request) -> Reply

    let port: UInt16
    private let listener: CInt
    private let script: Script
    private let log = Mutex<[Request]>([])
    /// The number of connections that are over.
    private let ended = Mutex(0)

    init(_ script: @escaping Script) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.script = script
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            // Closed by the thread that uses it. If another thread closed it, another server's socket could get its
            // number before this thread uses it again.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                guard let self else {
                    close(connection)
                    return
                }
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    deinit {
        // Ends the listening, and unblocks the thread in accept.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// The requests received so far.
    var requests: [Request] { log.withLock { $0 } }

    /// Waits until a request with this method has arrived, for at most 20 seconds.
    func received(_ method: String) async throws {
        for _ in 0..<4_000 where !requests.contains(where: { $0.method == method }) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until this many connections are over, for at most 25 seconds.
    func answered(_ count: Int) async throws {
        for _ in 0..<5_000 where ended.withLock({ $0 }) < count { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Returns the requests for one call, by the last part of its path.
    func requests(for call: String) -> [Request] { requests.filter { $0.path.hasSuffix(call) } }

    private func serve(_ connection: CInt) {
        defer {
            close(connection)
            ended.withLock { $0 += 1 }
        }
        guard let request = Self.read(connection) else { return }
        log.withLock { $0.append(request) }
        answer(script(request), on: connection)
    }

    private func answer(_ reply: Reply, on connection: CInt) {
        switch reply {
        case .lost: return
        case .late(let duration, let reply):
            Thread.sleep(
                forTimeInterval: Double(duration.components.attoseconds) / 1e18 + Double(duration.components.seconds)
            )
            answer(reply, on: connection)
        case .after(let gate, let reply):
            gate.pass()
            answer(reply, on: connection)
        case .events(let pieces):
            Self.write(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
                to: connection
            )
            for piece in pieces {
                switch piece {
                case .text(let text): Self.write(text, to: connection)
                case .until(let gate): gate.pass()
                case .hold: Self.awaitEnd(of: connection)
                case .drip(let lines):
                    for _ in 0..<lines where Self.write(":\n", to: connection) { Thread.sleep(forTimeInterval: 0.1) }
                }
            }
        case .raw(let text):
            Self.write(text, to: connection)
        case .json(let text, let status, let headers):
            let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            Self.write(
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n"
                    + "Connection: close\r\n\(fields)\r\n\(text)",
                to: connection
            )
        case .error(let code, let status, let headers):
            let text = #"{"error":{"code":\#(status),"message":"\#(code)","errors":[]}}"#
            answer(.json(text, status: status, headers: headers), on: connection)
        }
    }

    private static func read(_ connection: CInt) -> Request? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let mark = bytes.firstRange(of: end) {
                let lines = String(decoding: bytes[..<mark.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                let first = (lines.first ?? "").split(separator: " ")
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    guard parts.count == 2 else { continue }
                    headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
                }
                let body = bytes[mark.upperBound...]
                if first.count >= 2, body.count >= Int(headers["content-length"] ?? "0") ?? 0 {
                    return Request(
                        method: String(first[0]),
                        path: String(first[1]),
                        headers: headers,
                        body: Array(body)
                    )
                }
            }
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(connection, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }

    private static func awaitEnd(of connection: CInt) {
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(
            connection,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &patience,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var byte: UInt8 = 0
        _ = unsafe recv(connection, &byte, 1, 0)
    }

    /// Sends a text, and returns whether the client has not disconnected.
    @discardableResult
    private static func write(_ text: String, to connection: CInt) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
