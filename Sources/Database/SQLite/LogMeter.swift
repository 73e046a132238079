internal import CSQLite
internal import Synchronization

/// Counts the writer's commits, and calls a closure when the write-ahead log has become long.
final class LogMeter: Sendable {
    /// Wraps the closure, because each access to a lock whose value is a closure would wrap it once more
    /// (Scripts/check-pitfalls).
    private struct Observer {
        var notify: @Sendable () -> Void = {}
    }

    private let commitCount = Atomic(0)
    /// The number of pages in the log from which the next checkpoint is due; only the writer's thread uses it.
    private let due: Atomic<Int>
    private let policy: CheckpointPolicy
    private let health: DatabaseHealth
    private let observer = Mutex(Observer())

    /// Creates a meter that has counted nothing.
    ///
    /// - Parameters:
    ///   - policy: when the closure set by ``notify(_:)`` is called.
    ///   - health: the state of the database, which counts the commits too.
    init(_ policy: CheckpointPolicy, health: DatabaseHealth = DatabaseHealth()) {
        self.policy = policy
        self.health = health
        due = Atomic(policy.softLimit)
    }

    /// The number of the writer's commits so far that wrote to the log.
    var commits: Int { commitCount.load(ordering: .relaxed) }

    /// Sets the closure to call on the writer's thread after a commit at which a checkpoint is due.
    func notify(_ body: @escaping @Sendable () -> Void) {
        observer.withLock { $0.notify = body }
    }

    /// Counts a commit, with the number of pages in the log after it.
    func committed(pages: Int) {
        commitCount.wrappingAdd(1, ordering: .relaxed)
        health.recordCommit()
        var next = due.load(ordering: .relaxed)
        let hasRestarted = pages + policy.softLimit < next
        if hasRestarted { next = policy.softLimit }
        let isDue = pages >= next || pages >= policy.hardLimit
        due.store(isDue ? pages + policy.softLimit : next, ordering: .relaxed)
        if isDue { observer.withLock(\.notify)() }
    }
}

extension SQLiteConnection {
    /// Reports each commit to a meter.
    ///
    /// The meter must outlive the connection.
    func watchLog(_ meter: LogMeter) throws(DatabaseError) {
        try unsafe withHandle { handle throws(DatabaseError) in
            // Not retained: the connection's owner keeps the meter. Replaces SQLite's automatic checkpoint.
            _ = unsafe sqlite3_wal_hook(
                handle,
                { context, _, _, pages in
                    if let context = unsafe context {
                        unsafe Unmanaged<LogMeter>.fromOpaque(context).takeUnretainedValue().committed(
                            pages: Int(pages)
                        )
                    }
                    return SQLITE_OK
                },
                Unmanaged.passUnretained(meter).toOpaque()
            )
        }
    }
}
