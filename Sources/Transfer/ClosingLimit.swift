internal import Dispatch
internal import Glibc
internal import Synchronization

/// Limits how long closing a connection may take: shuts the socket down two seconds after the object's creation, or when
/// ``end()`` is called.
///
/// Create it before `curl_easy_cleanup`, which may wait two minutes for the answer to an SMTP QUIT, and call ``end()``
/// afterwards. Until then, a duplicate of the descriptor keeps the connection open. The original is not used, because after
/// the cleanup its number may belong to another connection.
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
