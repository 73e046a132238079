internal import Crypto
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The state that a server's threads share.
///
/// `SMTPServer` is the handle that callers hold. When it is destroyed, the threads end.
final class ServerCore: Sendable {
    let configuration: SMTPServer.Configuration
    let policy: SMTPPolicy
    let mailbox: Mailbox
    let tls: TLSServer?
    /// Raised when the server stops, to end every connection.
    let stopping: Signal

    /// Wakes the accepting thread when it must stop, or listen or stop listening.
    private let attention: Signal
    private let control = Mutex(Control())
    private let counters = Mutex(SMTPServer.Statistics())
    private let threads = DispatchGroup()

    private struct Control: ~Copyable {
        var plan = FaultPlan.none
        var listener: Listener?
        var isFallback = false
        var port: UInt16 = 0
        var wasStarted = false
        var isStopping = false
    }

    init(_ configuration: SMTPServer.Configuration) throws(SMTPServerError) {
        self.configuration = configuration
        var policy = configuration.policy
        policy.offersStartTLS = configuration.security == .startTLS
        self.policy = policy
        mailbox = Mailbox(
            maximumMessages: configuration.maximumMessages,
            maximumOctets: configuration.maximumKeptOctets
        )
        stopping = try Signal()
        attention = try Signal()
        do {
            tls =
                configuration.security == .none
                ? nil : try TLSServer(certificate: TLSCertificate(names: configuration.certificateNames))
        } catch {
            throw .tls(error.description)
        }
    }

    var address: (port: UInt16, isFallback: Bool) { control.withLock { ($0.port, $0.isFallback) } }

    var certificatePEM: String? { tls?.certificate.pem }

    var statistics: SMTPServer.Statistics {
        var statistics = counters.withLock { $0 }
        statistics.messages = mailbox.total
        return statistics
    }

    var faults: FaultPlan {
        get { control.withLock { $0.plan } }
        set {
            control.withLock { control in
                let refusedBefore = control.plan.refusesConnections
                control.plan = newValue
                guard newValue.refusesConnections != refusedBefore, !control.isStopping else { return }
                if newValue.refusesConnections {
                    control.listener?.refuse()
                } else {
                    control.listener?.resume()
                }
            }
            attention.raise()
        }
    }

    /// Runs a closure that may change the fault plan, which all connections share.
    func withFaults<T>(_ body: (inout FaultPlan) -> T) -> T {
        control.withLock { body(&$0.plan) }
    }

    // MARK: - Start and stop

    func start() throws(SMTPServerError) {
        try claimStart()
        do {
            try listen()
            threads.enter()
            try Worker.start { [self] in
                accept()
                threads.leave()
            }
        } catch {
            control.withLock { $0.wasStarted = false }
            throw error
        }
    }

    func signalStop() {
        control.withLock { $0.isStopping = true }
        stopping.raise()
        attention.raise()
    }

    func stop() {
        signalStop()
        threads.wait()
        control.withLock { $0.listener = nil }
    }

    private func claimStart() throws(SMTPServerError) {
        let isFirst = control.withLock { control in
            defer { control.wasStarted = true }
            return !control.wasStarted
        }
        guard isFirst else { throw .alreadyStarted }
    }

    private func listen() throws(SMTPServerError) {
        var isFallback = false
        let listener: Listener
        do {
            listener = try Listener(address: configuration.address, port: configuration.port)
        } catch {
            guard configuration.fallsBackToFreePort, error.meansPortUnavailable else { throw error }
            listener = try Listener(address: configuration.address, port: 0)
            isFallback = true
        }
        let port = listener.port
        var new = Optional(listener)
        control.withLock { control in
            if control.plan.refusesConnections { new?.refuse() }
            control.port = port
            control.isFallback = isFallback
            control.listener = new.take()
        }
    }

    // MARK: - Accepting

    private func accept() {
        var number = 0
        while true {
            let (descriptor, isStopping) = control.withLock { control in
                (control.plan.refusesConnections ? nil : control.listener?.descriptor, control.isStopping)
            }
            if isStopping { return }
            switch attention.wait(descriptor, POLLIN, timeout: nil) {
            case .stopped: attention.lower()
            case .timedOut: break
            case .ready:
                guard let descriptor else { break }
                if acceptOne(descriptor, number: number + 1) { number += 1 }
            }
        }
    }

    /// Accepts one connection, and serves it on a thread; false when none was accepted or it was rejected.
    private func acceptOne(_ listener: Int32, number: Int) -> Bool {
        var raw = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = unsafe withUnsafeMutablePointer(to: &raw) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.accept(listener, $0, &size)
            }
        }
        guard accepted >= 0 else {
            // Out of descriptors, for one: the connection stays in the queue and poll would return at once, again and again.
            if errno == EMFILE || errno == ENFILE { _ = stopping.wait(nil, 0, timeout: .milliseconds(20)) }
            return false
        }
        Descriptor.makeOurs(accepted)
        // Replies are written in one piece; waiting for more to send only costs time.
        var yes: Int32 = 1
        _ = unsafe setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard admit() else {
            turnAway(accepted)
            return false
        }
        let facts = SMTPSessionFacts(connection: number, remoteAddress: SocketAddress(raw)?.host ?? "")
        threads.enter()
        do {
            try Worker.start { [self] in
                var connection = Connection(core: self, socket: Descriptor(accepted), facts: facts)
                connection.run()
                dismiss()
                threads.leave()
            }
        } catch {
            _ = Glibc.close(accepted)
            dismiss()
            threads.leave()
        }
        return true
    }

    private func admit() -> Bool {
        counters.withLock { counters in
            guard counters.openConnections < configuration.maximumConnections else {
                counters.turnedAway += 1
                return false
            }
            counters.connections += 1
            counters.openConnections += 1
            return true
        }
    }

    private func dismiss() { counters.withLock { $0.openConnections -= 1 } }

    private func turnAway(_ socket: Int32) {
        let reply = SMTPReply.tooManyConnections.bytes
        if configuration.security != .implicit {
            _ = unsafe send(socket, reply, reply.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        _ = Glibc.close(socket)
    }
}
