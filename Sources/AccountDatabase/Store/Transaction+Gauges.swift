internal import Accounts
package import Database

/// Numbers about the whole installation, for metrics.
package struct InstallationGauges: Sendable, Equatable {
    /// The number of anonymous users.
    package var guests: Int64 = 0
    /// The number of users who are not anonymous.
    package var permanentUsers: Int64 = 0
    /// The number of guests whose time for clean-up has come.
    package var dueGuests: Int64 = 0
    /// The number of e-mails that wait for a worker.
    package var dueMails: Int64 = 0
    /// The number of e-mails that wait for their next attempt, after one has failed.
    package var postponedMails: Int64 = 0
    /// The number of e-mails that a worker has leased.
    package var leasedMails: Int64 = 0
    /// When the oldest unsent e-mail was queued, in milliseconds since 1970; `nil` without one.
    package var oldestMailAt: Int64?
    /// The number of messages to hooks that were not delivered yet.
    package var hookMessages: Int64 = 0
    /// When the oldest of them was queued, in milliseconds since 1970; `nil` without one.
    package var oldestHookMessageAt: Int64?
    /// When the lease of each task that one node does for all ends, in milliseconds since 1970, by the task's name.
    package var leases: [String: Int64] = [:]
    /// The size of a PostgreSQL database in bytes; `nil` with SQLite.
    package var databaseBytes: Int64?
    /// The number of sign-in tickets that expired unused in the time that was asked about.
    package var expiredTickets: Int64 = 0
    /// The time at which the numbers were read, in milliseconds since 1970.
    package var readAt: Int64 = 0

    /// Makes the numbers of an empty installation.
    package init() {}
}

extension Transaction {
    /// Counts users, e-mails and messages of the whole installation, which scans indexes.
    ///
    /// - Parameter earlier: the end of the time for ``InstallationGauges/expiredTickets``, in milliseconds since 1970:
    ///   the time before that was counted by an earlier call. `nil` for the first call, which counts none.
    package func installationGauges(since earlier: Int64?) throws -> InstallationGauges {
        var gauges = InstallationGauges()
        gauges.readAt = now
        gauges.guests = try count("users WHERE anonymous_since IS NOT NULL")
        gauges.permanentUsers = try count("users") - gauges.guests
        gauges.dueGuests = try count("users WHERE anonymous_since IS NOT NULL AND cleanup_at <= \(now)")
        try readMails(into: &gauges)
        try first(
            "SELECT count(*), min(created_at) FROM webhook_deliveries WHERE state = 'queued'"
        ) { row in
            gauges.hookMessages = try row.integer(0)
            gauges.oldestHookMessageAt = try row.optionalInteger(1)
        }
        for (name, end) in try all("SELECT name, leased_until FROM leases", { (try $0.text(0), try $0.integer(1)) }) {
            gauges.leases[name] = end
        }
        if dialect == .postgreSQL {
            gauges.databaseBytes = try first("SELECT pg_database_size(current_database())") { try $0.integer(0) }
        }
        if let earlier {
            gauges.expiredTickets = try count(
                "tickets WHERE expires_at >= \(earlier) AND expires_at < \(now) AND state IN ('open', 'approved')"
            )
        }
        return gauges
    }

    /// Counts the e-mails that are not sent yet; `nil` if there are more than `limit`, which are not all read.
    package func mailGauges(upTo limit: Int64) throws -> InstallationGauges? {
        var gauges = InstallationGauges()
        gauges.readAt = now
        try readMails(into: &gauges, upTo: limit + 1)
        return gauges.dueMails + gauges.leasedMails + gauges.postponedMails > limit ? nil : gauges
    }

    private func readMails(into gauges: inout InstallationGauges, upTo limit: Int64 = .max) throws {
        try first(
            """
            SELECT count(*), coalesce(sum(CASE WHEN leased_by IS NOT NULL THEN 1 ELSE 0 END), 0),
                coalesce(sum(CASE WHEN leased_by IS NULL AND due_at > \(now) THEN 1 ELSE 0 END), 0), min(created_at)
            FROM (SELECT leased_by, due_at, created_at FROM outbox WHERE state = 'queued' LIMIT \(limit)) waiting
            """
        ) { row in
            gauges.leasedMails = try row.integer(1)
            gauges.postponedMails = try row.integer(2)
            gauges.dueMails = try row.integer(0) - gauges.leasedMails - gauges.postponedMails
            gauges.oldestMailAt = try row.optionalInteger(3)
        }
    }

    private func count(_ rows: SQL) throws -> Int64 {
        try first("SELECT count(*) FROM " + rows) { try $0.integer(0) } ?? 0
    }
}
