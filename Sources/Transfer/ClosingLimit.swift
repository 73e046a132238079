internal import Dispatch
internal import Glibc
internal import Synchronization

/// Limits the time for closing a connection by shutting its socket down after two seconds.
///
/// The object keeps a duplicate of the descriptor, because the original number may belong to another connection by
/// then.
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
