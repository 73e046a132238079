/// A local SMTP server that keeps the messages it receives, and fails on request.
///
///     let server = try SMTPServer()
///     try server.start()
///     defer { server.stop() }
///     // … send through smtp://127.0.0.1:\(server.port) …
///     let message = try await server.waitForMessage(to: "you@example.org")
///
/// One thread accepts and one thread serves each connection, all bounded. Everything may be called from any thread.
package final class SMTPServer: Sendable {
    private let core: ServerCore

    /// Creates a server that does not listen yet.
    ///
    /// - Parameter configuration: the address, the offered extensions and the limits.
    /// - Throws: `SMTPServerError` when TLS cannot be set up.
    package init(_ configuration: Configuration = Configuration()) throws(SMTPServerError) {
        core = try ServerCore(configuration)
    }

    deinit { core.signalStop() }

    // MARK: - Life

    /// The configuration that was passed to the initialiser.
    package var configuration: Configuration { core.configuration }

    /// The port in use; 0 before `start`.
    package var port: UInt16 { core.address.port }

    /// Whether the configured port was not available and another one is in use.
    package var usesFallbackPort: Bool { core.address.isFallback }

    /// The server's self-signed certificate in PEM, for clients to trust; nil without TLS.
    package var certificatePEM: String? { core.certificatePEM }

    /// Listens and serves.
    ///
    /// - Returns: the port.
    /// - Throws: `SMTPServerError` when the address is bad, the port is not available (without fall-back), no thread
    ///   can be started, or the server was started before.
    @discardableResult
    package func start() throws(SMTPServerError) -> UInt16 {
        try core.start()
        return port
    }

    /// Ends all connections and closes the port.
    ///
    /// Waits until that is done.
    ///
    /// Messages stay readable.
    ///
    /// - Warning: Do not call it from an observer.
    package func stop() { core.stop() }

    /// The faults to produce.
    ///
    /// A change takes effect at once, for open connections too. Reading it shows the remaining counts of limited rules.
    package var faults: FaultPlan {
        get { core.faults }
        set { core.faults = newValue }
    }

    /// The numbers of connections and messages since the start.
    package var statistics: Statistics { core.statistics }

    // MARK: - Messages

    /// The kept messages, oldest first.
    ///
    /// The oldest are dropped when there are too many or they take too much memory.
    package var messages: [SMTPMessage] { core.mailbox.messages }

    /// Forgets all kept messages.
    package func clear() { core.mailbox.clear() }

    /// Calls an observer for every new message, on the thread of its connection and before the client gets the reply.
    ///
    /// The observer must be quick.
    ///
    /// - Parameter observer: receives the message.
    package func onMessage(_ observer: @escaping @Sendable (SMTPMessage) -> Void) {
        _ = core.mailbox.observe(observer)
    }

    /// Returns new messages as they arrive, starting now.
    ///
    /// Beyond a thousand unread messages, further ones are dropped.
    package func newMessages() -> AsyncStream<SMTPMessage> {
        core.mailbox.stream(matching: { _ in true }).stream
    }

    /// Waits for a message, or finds it among those kept.
    ///
    /// - Parameters:
    ///   - address: a recipient; nil for any.
    ///   - sequence: only messages with a greater `sequence`; pass an earlier message's to get the next one.
    ///   - timeout: how long to wait.
    ///   - condition: a further condition for the message.
    /// - Returns: the oldest such message.
    /// - Throws: `SMTPServerError.noMessage` when no such message came in time; `CancellationError`.
    package func waitForMessage(
        to address: String? = nil,
        after sequence: Int = 0,
        timeout: Duration = .seconds(10),
        where condition: @escaping @Sendable (SMTPMessage) -> Bool = { _ in true }
    ) async throws -> SMTPMessage {
        let (kept, stream) = core.mailbox.stream { message in
            guard message.sequence > sequence, address.map(message.isAddressed(to:)) ?? true else { return false }
            return condition(message)
        }
        if let message = kept.first { return message }
        let message = await withTaskGroup(of: SMTPMessage?.self) { group in
            group.addTask {
                for await message in stream { return message }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if let message { return message }
        try Task.checkCancellation()
        throw SMTPServerError.noMessage(waitedFor: timeout)
    }
}
