internal import Synchronization

/// The outcome of sending an e-mail.
package enum SMTPResult: Sendable, Equatable {
    /// The server accepted responsibility for the e-mail.
    case accepted(SMTPReply)
    /// The server did not accept the e-mail, or the outcome is unknown (``SMTPFailure/Kind/ambiguous``).
    case failed(SMTPFailure)
}

/// A connection to a mail server, opened with the first e-mail and kept open between e-mails.
///
/// E-mails sent at the same time wait for each other, so each worker needs its own client.
package final class SMTPClient: Sendable {
    private let configuration: SMTPConfiguration
    private let cancellation: Cancellation
    private let queue: BlockingQueue
    /// The connection that is kept open; nil before the first e-mail and after ``close()``.
    ///
    /// Only the queue's thread locks it, so no thread ever waits for this lock.
    private let connection = Mutex<SMTPConnection?>(nil)

    /// Creates a client without connecting.
    ///
    /// - Parameters:
    ///   - configuration: the server, which is not contacted yet.
    ///   - cancellation: ends an e-mail that is being sent, and fails every later one.
    package init(_ configuration: SMTPConfiguration, cancellation: Cancellation = Cancellation()) {
        self.configuration = configuration
        self.cancellation = cancellation
        queue = BlockingQueue(label: "latchkey.smtp")
    }

    /// Sends an e-mail after those that are being sent, and returns when the server has answered, or after the
    /// configured time limits.
    package func send(_ mail: SMTPMail) async -> SMTPResult {
        await queue.run { [self] in sendBlocking(mail) }
    }

    /// Sends several e-mails on one thread, because switching threads in between would cost more than composing an
    /// e-mail.
    ///
    /// - Parameter work: runs on the client's own thread. Its argument sends one e-mail, and blocks as long as
    ///   ``send(_:)`` would wait.
    package func sendSeveral(_ work: @escaping @Sendable ((SMTPMail) -> SMTPResult) -> Void) async {
        await queue.run { [self] in work(sendBlocking) }
    }

    /// Waits for e-mails that are being sent, then sends QUIT and closes the connection, within two seconds.
    ///
    /// Does nothing if no connection is open. The next e-mail opens a new one.
    package func close() async {
        await queue.run { [self] in connection.withLock { $0 = nil } }
    }

    private func sendBlocking(_ mail: SMTPMail) -> SMTPResult {
        connection.withLock { connection in
            do throws(TransferError) {
                let current: SMTPConnection
                if let kept = connection.take() {
                    current = kept
                } else {
                    current = try SMTPConnection.make(configuration, cancellation)
                }
                let result = current.send(mail)
                connection = consume current
                return result
            } catch {
                return .failed(SMTPFailure(error))
            }
        }
    }
}
