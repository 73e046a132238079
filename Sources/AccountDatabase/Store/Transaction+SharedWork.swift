package import Accounts
package import Database

extension Transaction {
    package func takeLease(_ work: SharedWork, worker: String, for milliseconds: Int64) throws -> Bool {
        try execute(
            """
            INSERT INTO leases (name, worker, leased_until, position)
            VALUES (\(work.rawValue), \(worker), \(now + milliseconds), 0)
            ON CONFLICT (name) DO UPDATE SET worker = excluded.worker, leased_until = excluded.leased_until
            WHERE leases.worker = excluded.worker OR leases.leased_until <= \(now)
            """
        ) == 1
    }

    package func endLease(_ work: SharedWork, worker: String) throws {
        try execute(
            "UPDATE leases SET leased_until = \(now) WHERE name = \(work.rawValue) AND worker = \(worker)"
        )
    }

    /// Whether a worker could take the lease of the work now: it owns the lease, or no other worker has one that has
    /// not expired.
    ///
    /// A cheap check before it tries.
    package func isLeaseFree(_ work: SharedWork, for worker: String) throws -> Bool {
        try first(
            """
            SELECT 1 FROM leases WHERE name = \(work.rawValue) AND worker <> \(worker) AND leased_until > \(now)
            """
        ) { _ in true } == nil
    }

    /// Returns the row number up to which a worker has done the work, as last recorded; 0 if none was recorded.
    package func position(of work: SharedWork) throws -> Int64 {
        try first("SELECT position FROM leases WHERE name = \(work.rawValue)") { try $0.integer(0) } ?? 0
    }

    /// Records the row number up to which a worker has done the work; does nothing unless this worker was the last to
    /// take the lease.
    package func recordPosition(_ position: Int64, of work: SharedWork, worker: String) throws {
        try execute(
            "UPDATE leases SET position = \(position) WHERE name = \(work.rawValue) AND worker = \(worker)"
        )
    }
}
