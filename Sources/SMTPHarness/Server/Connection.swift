internal import Crypto

/// One connection: moves bytes between its socket and its session, and does what the session says.
struct Connection: ~Copyable {
    private let core: ServerCore
    private var wire: Wire
    private var session: SMTPSession

    init(core: ServerCore, socket: consuming Descriptor, facts: SMTPSessionFacts) {
        self.core = core
        wire = Wire(socket: socket, stop: core.stopping, timeout: core.configuration.idleTimeout)
        session = SMTPSession(policy: core.policy, facts: facts)
    }

    /// Serves until the client or the session ends the connection.
    mutating func run() {
        do {
            if core.configuration.security == .implicit {
                session.beginEncrypted()
                guard try encrypt() else { return }
            }
            guard try perform(core.withFaults { session.open(faults: &$0) }) else { return }
            while session.isReading {
                let bytes = try wire.read()
                guard try perform(core.withFaults { session.receive(bytes, faults: &$0) }) else { return }
            }
        } catch .timedOut {
            sayGoodbye(.idle)
        } catch .stopped {
            sayGoodbye(.shuttingDown)
        } catch {
            // The client is gone or does not speak TLS, so no reply is possible.
        }
    }

    /// Performs the session's actions, with the replies in as few packets as possible.
    ///
    /// - Returns: whether the connection continues.
    private mutating func perform(_ actions: [SMTPAction]) throws(Wire.Failure) -> Bool {
        var waiting: [UInt8] = []
        for action in actions {
            switch action {
            case .reply(let reply):
                let delay = core.faults.replyDelay
                if delay > .zero {
                    guard core.stopping.wait(nil, 0, timeout: delay) == .timedOut else { throw .stopped }
                    try wire.write(reply.bytes)
                } else {
                    waiting += reply.bytes
                }
                continue
            case .deliver(let submission):
                core.mailbox.add(submission)
                continue
            default: break
            }
            if !waiting.isEmpty { try wire.write(waiting) }
            waiting = []
            switch action {
            case .startTLS:
                guard try encrypt() else { return false }
            case .close:
                wire.finish()
                return false
            case .drop:
                wire.resetOnClose()
                return false
            case .hang:
                wire.waitForEnd()
                return false
            case .reply, .deliver: break
            }
        }
        if !waiting.isEmpty { try wire.write(waiting) }
        return true
    }

    /// Performs the TLS handshake; false if the server has no TLS, or the fault plan ends the connection instead.
    private mutating func encrypt() throws(Wire.Failure) -> Bool {
        guard let tls = core.tls else { return false }
        if let rule = core.withFaults({ $0.rule(at: .tlsHandshake) }) {
            if rule.fault == .hang { wire.waitForEnd() } else { wire.resetOnClose() }
            return false
        }
        let connection: TLSServerConnection
        do {
            connection = try tls.connection()
        } catch {
            throw .tls(error)
        }
        session.tlsStarted(version: try wire.startTLS(connection))
        return true
    }

    private mutating func sayGoodbye(_ reply: SMTPReply) {
        guard !session.isHung else { return }
        try? wire.write(reply.bytes)
        wire.finish()
    }
}
