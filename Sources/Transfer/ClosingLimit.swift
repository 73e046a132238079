internal import Dispatch
internal import Glibc
internal import Synchronization

/// Bounds the time that closing a connection may take, by shutting its socket down after two seconds.
///
/// It works on a duplicate of the descriptor: the original number may belong to another connection by then.
final class ClosingLimit: Sendable {
    private let descriptor: Mutex<Int32?>

    init?(socket: Int32?) {
        guard let socket else { return nil }
        let duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        descriptor = Mutex(duplicate)
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) { [self] in end() }
    }

    /// Ends the connection now, unless it has been.
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
