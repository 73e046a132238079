/// A local SMTP server that keeps what it receives and fails when told to.
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

    /// A server that does not listen yet.
    ///
    /// - Parameter configuration: Where to listen, what to offer, what to keep.
    /// - Throws: `SMTPServerError` when TLS cannot be set up.
    package init(_ configuration: Configuration = Configuration()) throws(SMTPServerError) {
        core = try ServerCore(configuration)
    }

    deinit { core.signalStop() }

    // MARK: - Life

    /// As given.
    package var configuration: Configuration { core.configuration }

    /// The port in use; 0 before `start`.
    package var port: UInt16 { core.address.port }

    /// Whether the configured port was taken and another one is in use.
    package var usesFallbackPort: Bool { core.address.isFallback }

    /// The self-made certificate in PEM, for clients that shall trust it; nil without TLS.
    package var certificatePEM: String? { core.certificatePEM }

    /// Listens and serves.
    ///
    /// - Returns: The port.
    /// - Throws: `SMTPServerError` when the address is bad, the port taken (without fall-back) or the server was started before.
    @discardableResult
    package func start() throws(SMTPServerError) -> UInt16 {
        try core.start()
        return port
    }

    /// Ends all connections and gives up the port; waits until that is done. Messages stay readable.
    ///
    /// - Warning: Not from within an observer.
    package func stop() { core.stop() }

    /// What shall go wrong. Takes effect at once, for open connections too; reading it shows what is left of limited rules.
    package var faults: FaultPlan {
        get { core.faults }
        set { core.faults = newValue }
    }

    /// Counts since the start.
    package var statistics: Statistics { core.statistics }

    // MARK: - Messages

    /// The kept messages, oldest first. The oldest are dropped when there are too many or they take too much memory.
    package var messages: [SMTPMessage] { core.mailbox.messages }

    /// Forgets all kept messages.
    package func clear() { core.mailbox.clear() }

    /// Calls back for every new message, on its connection's thread and before its client gets the reply: be quick.
    ///
    /// - Parameter observer: Gets the message.
    package func onMessage(_ observer: @escaping @Sendable (SMTPMessage) -> Void) {
        _ = core.mailbox.observe(observer)
    }

    /// New messages as they come, beginning now. Those that nobody takes are dropped beyond a thousand.
    package func newMessages() -> AsyncStream<SMTPMessage> {
        core.mailbox.stream(matching: { _ in true }).stream
    }

    /// Waits for a message, or finds it among those kept.
    ///
    /// - Parameters:
    ///   - address: A recipient; nil for any.
    ///   - after: Only messages with a greater `sequence`; pass an earlier message's to get the next one.
    ///   - timeout: How long to wait.
    ///   - condition: What else it must fulfil.
    /// - Returns: The oldest such message.
    /// - Throws: `SMTPServerError.noMessage` when none came, `CancellationError`.
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
