import Foundation
import Glibc
import Synchronization

/// A line-based server for cases that a real one does not offer: greets, then answers each line from a table.
final class PlainServer: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let lines = Mutex<[String]>([])

    /// The lines that clients have sent.
    var received: [String] { lines.withLock { $0 } }

    /// - Parameters:
    ///   - greeting: sent first; nil: nothing.
    ///   - isEverywhere: whether it listens on all addresses of this machine, not only on 127.0.0.1.
    ///   - answer: the answer to a line; nil: none yet.
    /// - Throws: `Failed` if no port is available.
    init(
        greeting: String? = "220 localhost\r\n",
        isEverywhere: Bool = false,
        _ answer: @escaping @Sendable (String) -> String?
    ) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(isEverywhere ? 0 : 0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port: UInt16? = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(descriptor, pointer, length) == 0, listen(descriptor, 16) == 0,
                    unsafe getsockname(descriptor, pointer, &length) == 0
                else { return nil }
                return unsafe UnsafeRawPointer(pointer).load(as: sockaddr_in.self).sin_port.bigEndian
            }
        }
        guard let port else { throw Failed() }
        self.port = port
        self.descriptor = descriptor
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else {
                    // Closed here and not in `stop`, so that no thread accepts on a number that has been reused.
                    close(descriptor)
                    return
                }
                Thread.detachNewThread { [self] in serve(connection, greeting, answer) }
            }
        }
    }

    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func serve(_ connection: Int32, _ greeting: String?, _ answer: (String) -> String?) {
        defer { close(connection) }
        if let greeting { Self.write(greeting, to: connection) }
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: 0x0A) {
                let line = String(decoding: pending[..<end].filter { $0 != 0x0D }, as: UTF8.self)
                pending.removeSubrange(...end)
                lines.withLock { $0.append(line) }
                if let reply = answer(line) { Self.write(reply, to: connection) }
            }
        }
    }

    private static func write(_ text: String, to connection: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
