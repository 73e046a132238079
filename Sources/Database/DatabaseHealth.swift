internal import Synchronization

/// The state of the database as its own threads last learned it, for callers that must not wait for a query.
///
/// Any thread may use it.
@usableFromInline
package final class DatabaseHealth: Sendable {
    private let commitCount = Atomic<Int>(0)
    private let damage = Mutex<DatabaseError?>(nil)

    package init() {}

    /// The number of this process's commits that stored something, since the database was opened.
    package var commits: Int { commitCount.load(ordering: .acquiring) }

    /// The first error that reported damaged data; `nil` without one.
    ///
    /// The error is never cleared, because damage does not repair itself.
    package var corruption: DatabaseError? { damage.withLock { $0 } }

    /// Counts a commit that stored something.
    func recordCommit() {
        commitCount.wrappingAdd(1, ordering: .releasing)
    }

    /// Records an error that reports damaged data; ignores all other errors.
    package func record(_ error: DatabaseError) {
        guard error.kind == .corrupt else { return }
        damage.withLock { if $0 == nil { $0 = error } }
    }
}
