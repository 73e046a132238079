internal import CMicrohttpd
internal import Glibc
internal import Synchronization

extension Server {
    /// Whether every serving thread answers a request within the given time.
    ///
    /// Each thread gets a connection of its own with a request for `/healthz`. Any answer counts, and so does the end of
    /// the connection, which is what a listener with TLS answers to a request in clear text. A server that has no
    /// connection left, that stops, or that does not run counts as answering: a client must not be able to make it look
    /// stuck.
    ///
    /// Blocks the calling thread, so call it on a thread of its own.
    package func answers(within patience: Duration) -> Bool {
        let deadline = Moment.after(patience)
        var ends: [Int32] = []
        defer { for end in ends { close(end) } }
        // The connections are handed over under the lock, so that the server cannot stop meanwhile.
        running.withLock { running in
            guard let running else { return }
            for thread in 0..<running.daemon.threads {
                if let end = Self.connect(to: running.daemon, thread: thread) { ends.append(end) }
            }
        }
        return ends.allSatisfy { Self.hasAnswer($0, before: deadline) }
    }

    /// Gives a connection with a request to one thread of the library.
    ///
    /// - Returns: the client's end; `nil` if there is no room for a connection.
    private static func connect(to daemon: Daemon, thread: Int) -> Int32? {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else { return nil }
        let served = Daemon.descriptor(pair[1], thread: thread, of: daemon.threads)
        let request = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard unsafe send(pair[0], request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            close(pair[0])
            close(served)
            return nil
        }
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        // The library closes the descriptor if it does not accept the connection.
        guard unsafe daemon.add(served, &address, socklen_t(MemoryLayout<sockaddr>.size)) else {
            close(pair[0])
            return nil
        }
        return pair[0]
    }

    private static func hasAnswer(_ socket: Int32, before deadline: Int64) -> Bool {
        while true {
            var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let left = Int32(clamping: max(0, deadline - Moment.now))
            let count = unsafe poll(&wait, 1, left)
            if count > 0 { return true }
            guard count < 0, errno == EINTR else { return false }
        }
    }
}
