internal import CSQLite
internal import Synchronization

/// Watches how long the write-ahead log is after each commit of the writer.
final class LogMeter: Sendable {
    /// Keeps the closure from being the lock's whole value: each access would wrap it once more (Scripts/check-pitfalls).
    private struct Observer {
        var notify: @Sendable () -> Void = {}
    }

    private let commitCount = Atomic(0)
    private let softLimit: Int
    private let health: DatabaseHealth
    private let observer = Mutex(Observer())

    /// - Parameters:
    ///   - softLimit: the pages from which on the closure set by ``notify(_:)`` is called.
    ///   - health: counts the commits too.
    init(softLimit: Int, health: DatabaseHealth = DatabaseHealth()) {
        self.softLimit = softLimit
        self.health = health
    }

    /// Commits so far.
    var commits: Int { commitCount.load(ordering: .relaxed) }

    /// Sets who is told, on the writer's thread, when the log is longer than the limit.
    func notify(_ body: @escaping @Sendable () -> Void) {
        observer.withLock { $0.notify = body }
    }

    /// Counts a commit after which the log has so many pages.
    func committed(pages: Int) {
        commitCount.wrappingAdd(1, ordering: .relaxed)
        health.noteCommit()
        if pages >= softLimit { observer.withLock(\.notify)() }
    }
}

extension SQLiteConnection {
    /// Tells a meter of each commit.
    ///
    /// The meter must live as long as the connection is open.
    func watchLog(_ meter: LogMeter) throws(DatabaseError) {
        try unsafe withHandle { handle throws(DatabaseError) in
            // Not retained: the owner of the connection keeps the meter. Replaces SQLite's own automatic checkpoint.
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
