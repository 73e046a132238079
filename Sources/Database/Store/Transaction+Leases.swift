package import Accounts

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

    /// Whether the worker could take a lease; a cheap look before it tries.
    package func isLeaseFree(_ work: SharedWork, for worker: String) throws -> Bool {
        try first(
            """
            SELECT 1 FROM leases WHERE name = \(work.rawValue) AND worker <> \(worker) AND leased_until > \(now)
            """
        ) { _ in true } == nil
    }

    /// How far the work has come, as whoever did it last noted.
    package func position(of work: SharedWork) throws -> Int64 {
        try first("SELECT position FROM leases WHERE name = \(work.rawValue)") { try $0.integer(0) } ?? 0
    }

    package func notePosition(_ position: Int64, of work: SharedWork, worker: String) throws {
        try execute(
            "UPDATE leases SET position = \(position) WHERE name = \(work.rawValue) AND worker = \(worker)"
        )
    }
}
