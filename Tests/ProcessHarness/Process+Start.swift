package import Foundation
import Synchronization

private let starting = Mutex(())

extension Process {
    /// Starts the process like `run()`, but never two processes at the same moment.
    ///
    /// Foundation notices the end of a child by the end of a socket that only the child holds. A process that another
    /// thread starts at the same moment inherits that socket, and the end is noticed only when both have ended.
    ///
    /// - Throws: what `run()` throws.
    package func start() throws {
        try starting.withLock { _ in try run() }
    }
}
