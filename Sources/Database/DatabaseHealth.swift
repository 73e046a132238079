internal import Synchronization

/// What the database's own threads last learned of it, for questions that must be answered from memory.
///
/// Any thread may use it.
package final class DatabaseHealth: Sendable {
    private let commitCount = Atomic<Int>(0)
    private let damage = Mutex<DatabaseError?>(nil)

    package init() {}

    /// The number of commits that stored something.
    package var commits: Int { commitCount.load(ordering: .acquiring) }

    /// The first error that reported damaged data; it stays, because data does not mend by itself.
    package var corruption: DatabaseError? { damage.withLock { $0 } }

    /// Counts a commit that stored something.
    func noteCommit() {
        commitCount.wrappingAdd(1, ordering: .releasing)
    }

    /// Takes note of an error; only those that report damaged data count.
    package func note(_ error: DatabaseError) {
        guard error.kind == .corrupt else { return }
        damage.withLock { if $0 == nil { $0 = error } }
    }
}
