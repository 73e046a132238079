internal import Dispatch
internal import Glibc
internal import Synchronization

/// Limits how long closing a connection may take: two seconds after its creation, the object shuts the socket down.
///
/// The object keeps a duplicate of the socket's descriptor. After two seconds the original descriptor may be closed,
/// and its number may belong to another connection.
final class ClosingLimit: Sendable {
    private let descriptor: Mutex<Int32?>

    init?(socket: Int32?) {
        guard let socket else { return nil }
        let duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        descriptor = Mutex(duplicate)
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) { [self] in end() }
    }

    /// Ends the connection now, unless it was ended already.
    func end() {
        let taken = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let taken else { return }
        shutdown(taken, Int32(SHUT_RDWR))
        close(taken)
    }
}
