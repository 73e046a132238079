internal import Synchronization

/// What became of a mail.
package enum SMTPResult: Sendable, Equatable {
    /// The server took responsibility for it.
    case accepted(SMTPReply)
    /// It did not, or we do not know.
    case failed(SMTPFailure)
}

/// One connection to a mail server, kept open between mails; opened with the first.
///
/// Mails sent at the same time wait for each other: one client for each worker.
package final class SMTPClient: Sendable {
    private let configuration: SMTPConfiguration
    private let cancellation: Cancellation
    private let queue: BlockingQueue
    /// Only the queue comes here, so nobody ever waits for this lock.
    private let connection = Mutex<SMTPConnection?>(nil)

    /// - Parameters:
    ///   - configuration: the server; nothing is contacted yet.
    ///   - cancellation: ends a mail that is being sent, and fails every later one.
    package init(_ configuration: SMTPConfiguration, cancellation: Cancellation = Cancellation()) {
        self.configuration = configuration
        self.cancellation = cancellation
        queue = BlockingQueue(label: "latchkey.smtp")
    }

    /// Sends a mail; returns when the server has answered, or after the configuration's time limits.
    package func send(_ mail: SMTPMail) async -> SMTPResult {
        await queue.run { [self] in sendBlocking(mail) }
    }

    /// Sends mail after mail without changing threads in between, which costs more than composing one.
    ///
    /// - Parameter work: runs on the client's own thread; what it is given sends one mail and blocks as long as
    ///   ``send(_:)`` would wait.
    package func sendSeveral(_ work: @escaping @Sendable ((SMTPMail) -> SMTPResult) -> Void) async {
        await queue.run { [self] in work(sendBlocking) }
    }

    /// Says QUIT and closes the connection, within two seconds.
    ///
    /// The next mail opens a new one.
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
