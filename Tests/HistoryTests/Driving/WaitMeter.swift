import Database
import Synchronization

/// Watches which operations wait for a lock.
final class WaitMeter: Sendable {
    private let database: any Database
    private let isStopped = Atomic(false)

    init(_ database: any Database) {
        self.database = database
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Makes the server's list of activity show the operation that a transaction is part of.
    static func mark(_ transaction: Transaction, as operation: Int) throws {
        // In pg_stat_activity before the transaction waits for anything. Takes no snapshot.
        try transaction.enqueue("SET LOCAL application_name = \(identifier: "\(prefix)\(operation)")")
    }

    private static let prefix = "operation "

    /// Looks until it is stopped, and returns the numbers of all operations that were seen to wait.
    func run() async -> Set<Int> {
        var waiting: Set<Int> = []
        while !isStopped.load(ordering: .relaxed), !Task.isCancelled {
            let seen = try? await database.read(kind: "meter") { transaction in
                try transaction.all(
                    """
                    SELECT application_name FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """
                ) { try $0.text(0) }
            }
            for name in seen ?? [] where name.hasPrefix(Self.prefix) {
                if let number = Int(name.dropFirst(Self.prefix.count)) { waiting.insert(number) }
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return waiting
    }
}
