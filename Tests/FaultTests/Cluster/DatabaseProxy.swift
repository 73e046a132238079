import Foundation
import Glibc
import PostgreSQLHarness

/// The network between a node and the database server, which can stall and break.
///
/// It delivers stalled data afterwards, as a network does: late, to any end that still listens.
final class DatabaseProxy: Sendable {
    enum Manner: Sendable {
        case pass
        /// Nothing arrives, in either direction.
        case stall
        /// The server receives everything, and its answers do not arrive.
        case stallAnswers
        /// Connections break, including new ones.
        case cut
    }

    private struct State {
        var manner = Manner.pass
        /// The two ends of each connection.
        var connections: [Int: (node: Int32, server: Int32)] = [:]
        var count = 0
        var isOver = false
    }

    struct Unavailable: Error {}

    let port: UInt16
    private let listener: Int32
    private let state = Shared(State())

    /// Listens on a free port of 127.0.0.1.
    init(to server: PostgreSQLServer) throws {
        let path = "\(server.folder)/.s.PGSQL.5432"
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard listener >= 0, isListening else { throw Unavailable() }
        port = UInt16(bigEndian: address.sin_port)
        let state = state
        Thread.detachNewThread {
            while !state.value.isOver {
                let node = accept(listener, nil, nil)
                guard node >= 0 else { continue }
                _ = fcntl(node, F_SETFD, FD_CLOEXEC)
                Self.connect(node, to: path, state)
            }
            close(listener)
        }
    }

    deinit {
        behave(.cut)
        state.change { $0.isOver = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Returns the URL of a database of the server through the proxy.
    func url(to database: String) -> String {
        "postgresql://latchkey@127.0.0.1:\(port)/\(database.split(separator: "/").last ?? "")?sslmode=disable"
    }

    /// Changes the behavior for existing and new connections.
    func behave(_ manner: Manner) {
        state.change { state in
            state.manner = manner
            guard manner == .cut else { return }
            for (node, server) in state.connections.values {
                shutdown(node, Int32(SHUT_RDWR))
                shutdown(server, Int32(SHUT_RDWR))
            }
        }
    }

    private static func connect(_ node: Int32, to path: String, _ state: Shared<State>) {
        guard state.value.manner != .cut, let server = connected(to: path) else {
            close(node)
            return
        }
        let number = state.change { state in
            state.count += 1
            state.connections[state.count] = (node, server)
            return state.count
        }
        let left = Shared(2)
        for (from, to, isAnswer) in [(node, server, false), (server, node, true)] {
            Thread.detachNewThread {
                pump(from, to, isAnswer: isAnswer, state)
                shutdown(to, Int32(SHUT_WR))
                guard
                    left.change({ left -> Bool in
                        left -= 1
                        return left == 0
                    })
                else { return }
                state.change { $0.connections[number] = nil }
                close(node)
                close(server)
            }
        }
    }

    private static func connected(to path: String) -> Int32? {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result == 0 { return server }
        close(server)
        return nil
    }

    /// Forwards bytes in one direction until an end is reached.
    private static func pump(_ from: Int32, _ to: Int32, isAnswer: Bool, _ state: Shared<State>) {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe recv(from, &piece, piece.count, 0)
            guard count > 0 else { return }
            while holdsBack(isAnswer, state.value.manner) { usleep(5_000) }
            var sent = 0
            while sent < count {
                let more = unsafe piece.withUnsafeBytes { bytes in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent..<count])
                    return unsafe send(to, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                }
                guard more > 0 else { return }
                sent += more
            }
        }
    }

    private static func holdsBack(_ isAnswer: Bool, _ manner: Manner) -> Bool {
        switch manner {
        case .pass, .cut: false
        case .stall: true
        case .stallAnswers: isAnswer
        }
    }
}
