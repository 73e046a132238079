internal import Crypto
internal import Glibc

/// The bytes of one connection, encrypted or not, read and written with time limits.
struct Wire: ~Copyable {
    private let socket: Descriptor
    private let stop: Signal
    private let timeout: Duration
    private var tls: TLSServerConnection?

    enum Failure: Error { case closed, timedOut, stopped, tls(TLSError) }

    init(socket: consuming Descriptor, stop: Signal, timeout: Duration) {
        self.socket = socket
        self.stop = stop
        self.timeout = timeout
    }

    /// Waits for bytes from the client.
    ///
    /// - Returns: at least one byte, decrypted.
    /// - Throws: `Failure` when the client closes the connection, stays silent too long or breaks TLS, or the server
    ///   stops.
    mutating func read() throws(Failure) -> [UInt8] {
        while true {
            if tls == nil { return try receive() }
            do {
                guard let bytes = try tls?.read() else { throw Failure.closed }
                if !bytes.isEmpty { return bytes }
                let encrypted = try receive()
                tls?.receive(encrypted)
                // Post-handshake messages (key updates) may want an answer.
                try flush()
            } catch let error as TLSError {
                throw .tls(error)
            } catch let error as Failure {
                throw error
            } catch {
                throw .closed
            }
        }
    }

    /// Sends bytes, encrypted after ``startTLS(_:)``, and waits until the system has accepted all of them.
    mutating func write(_ bytes: [UInt8]) throws(Failure) {
        guard tls != nil else { return try send(bytes) }
        do {
            try tls?.write(bytes)
        } catch {
            throw .tls(error)
        }
        try flush()
    }

    /// Performs the TLS handshake.
    ///
    /// All later bytes are encrypted.
    ///
    /// - Returns: the protocol, such as "TLSv1.3".
    mutating func startTLS(_ connection: consuming TLSServerConnection) throws(Failure) -> String {
        tls = consume connection
        while true {
            let isDone: Bool
            do {
                isDone = try tls?.handshake() ?? false
            } catch {
                // The alert tells the client why.
                try? flush()
                throw .tls(error)
            }
            try flush()
            if isDone { return tls?.version ?? "" }
            let encrypted = try receive()
            tls?.receive(encrypted)
        }
    }

    /// Waits until the client closes the connection or the server stops, and discards all bytes that still come.
    mutating func waitForEnd() {
        while stop.wait(socket.raw, POLLIN, timeout: nil) == .ready {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(socket.raw, &buffer, buffer.count, 0)
            guard count > 0 || (count < 0 && errno == EAGAIN) else { return }
        }
    }

    /// Ends the connection in good order: the last reply arrives even if the client has sent more than was read.
    ///
    /// Waits up to a second for the client.
    mutating func finish() {
        tls?.close()
        try? flush()
        _ = shutdown(socket.raw, Int32(SHUT_WR))
        // Closing with unread bytes would reset the connection and could destroy the last reply on its way.
        let deadline = ContinuousClock.now.advanced(by: .seconds(1))
        while ContinuousClock.now < deadline, stop.wait(socket.raw, POLLIN, timeout: .milliseconds(200)) == .ready {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            guard unsafe recv(socket.raw, &buffer, buffer.count, 0) > 0 else { return }
        }
    }

    /// Makes closing the socket reset the connection, instead of ending it in good order.
    func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(socket.raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    private mutating func flush() throws(Failure) {
        guard let output = tls?.takeOutput(), !output.isEmpty else { return }
        try send(output)
    }

    private func receive() throws(Failure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe recv(socket.raw, &buffer, buffer.count, 0)
            if count > 0 { return Array(buffer[..<count]) }
            guard count < 0, errno == EAGAIN || errno == EINTR else { throw .closed }
            try wait(POLLIN)
        }
    }

    private func send(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else { throw .closed }
            try wait(POLLOUT)
        }
    }

    private func wait(_ events: Int32) throws(Failure) {
        switch stop.wait(socket.raw, events, timeout: timeout) {
        case .ready: return
        case .stopped: throw .stopped
        case .timedOut: throw .timedOut
        }
    }
}
