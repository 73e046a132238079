import Database
import Synchronization

/// Watches which transactions of a database wait for a lock.
final class WaitMeter: Sendable {
    /// A transaction, as the process of the server and the time of its beginning in microseconds since 1970.
    struct Waiter: Sendable, Hashable {
        let process: Int64
        let began: Int64
    }

    private let database: any Database
    private let isStopped = Atomic(false)

    init(_ database: any Database) {
        self.database = database
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Looks until it is stopped, and returns all transactions that were seen to wait.
    func run() async -> Set<Waiter> {
        var waiters: Set<Waiter> = []
        while !isStopped.load(ordering: .relaxed), !Task.isCancelled {
            let seen = try? await database.read(kind: "meter") { transaction in
                try transaction.all(
                    """
                    SELECT CAST(pid AS BIGINT), CAST(extract(epoch FROM xact_start) * 1000000 AS BIGINT)
                    FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock' AND xact_start IS NOT NULL
                    """
                ) { Waiter(process: try $0.integer(0), began: try $0.integer(1)) }
            }
            waiters.formUnion(seen ?? [])
            try? await Task.sleep(for: .milliseconds(1))
        }
        return waiters
    }
}
