internal import AccountDatabase
internal import Accounts
internal import Database

/// The audit log.
extension Operator {
    /// The conditions for entries of the audit log.
    package struct AuditConditions: Sendable {
        /// A UID, also of a user who is gone, or the address or username of a user; `nil` for any.
        package var user: String?
        /// A kind of actors, an actor as `kind:name`, or a name alone; `nil` for any.
        package var actor: String?
        /// The earliest time, in milliseconds since 1970; `nil` for any.
        package var since: Int64?

        /// Makes conditions that every entry meets.
        package init() {}
    }

    /// Returns a page of the audit log, the newest entry first.
    ///
    /// - Parameters:
    ///   - conditions: the conditions for entries.
    ///   - page: the token of the page (``ReportPage/nextPage``); `nil` for the newest entries.
    ///   - limit: the maximum number of entries.
    /// - Throws: ``Failure/noSuchUser(_:)`` for a user whom neither the database nor the log knows, ``Failure/noSuchPage(_:)``.
    package func audit(
        _ conditions: AuditConditions,
        page: String? = nil,
        limit: Int
    ) throws -> ReportPage<AuditReport> {
        let filter = try filter(conditions)
        let before = try page.map { page in
            guard let before = Int64(page), before > 0 else { throw Failure.noSuchPage(page) }
            return before
        }
        let found = try store.database.readNow { [flows] transaction in
            let found = try flows.auditPage(filter, before: before, limit: Int64(limit), in: transaction)
            // A UID of which the log knows nothing, and that no user has, is a typing error.
            if found.entries.isEmpty, let uid = filter.uid, try transaction.user(uid) == nil {
                var any = AuditFilter()
                any.uid = uid
                if try transaction.auditEntries(any, before: .max, limit: 1).isEmpty { throw Failure.noSuchUser(uid) }
            }
            return found
        }
        return ReportPage(items: found.entries.map(AuditReport.init), nextPage: found.next.map { String($0) })
    }

    /// Returns a follower of the audit log, which returns the entries that are added from now on.
    ///
    /// - Throws: ``Failure/noSuchUser(_:)`` for an address that no user has.
    package func auditFollower(_ conditions: AuditConditions) throws -> AuditFollower {
        try AuditFollower(database: store.database, filter: filter(conditions))
    }

    private func filter(_ conditions: AuditConditions) throws -> AuditFilter {
        var filter = AuditFilter()
        filter.uid = try conditions.user.map { name in
            do { return try uid(of: name) } catch Failure.noSuchUser where !name.contains("@") {
                // The UID of a user who was deleted or merged.
                return name
            }
        }
        filter.actor = conditions.actor
        filter.since = conditions.since
        return filter
    }
}

/// Reads entries of the audit log as they are added.
///
/// Entries become visible when their transactions commit, so one may appear after another with a greater number. The
/// follower therefore reads the latest entries again, until no transaction can add an entry among them.
package struct AuditFollower: Sendable {
    /// The time in milliseconds after which an entry can have no unseen neighbour, longer than any transaction.
    private static let settled: Int64 = 30_000
    private static let batch: Int64 = 500

    private let database: any Database
    private let filter: AuditFilter
    /// The number after which entries are read.
    private var position: Int64 = 0
    /// The numbers after ``position`` of entries that were returned.
    private var seen: Set<Int64> = []

    init(database: any Database, filter: AuditFilter) throws {
        self.database = database
        self.filter = filter
        let latest = try database.readNow { try $0.auditEntries(AuditFilter(), before: .max, limit: Self.batch) }
        let settled = latest.first { isSettled($0) }
        position = settled?.number ?? latest.last.map { $0.number - 1 } ?? 0
        seen = Set(latest.lazy.map(\.number).filter { [position] in $0 > position })
    }

    /// Returns the entries that were added since the last call, in the order of their numbers.
    package mutating func next() throws -> [AuditReport] {
        var added: [AuditReport] = []
        var after = position, isSettledSoFar = true
        while true {
            let found = try database.readNow { [filter] in
                try $0.auditEntries(filter, after: after, limit: Self.batch)
            }
            for entry in found {
                if seen.insert(entry.number).inserted { added.append(AuditReport(entry)) }
                isSettledSoFar = isSettledSoFar && isSettled(entry)
                if isSettledSoFar { position = entry.number }
            }
            guard let last = found.last, found.count == Self.batch else { break }
            after = last.number
        }
        seen = seen.filter { $0 > position }
        return added
    }

    private func isSettled(_ entry: AuditEntry) -> Bool { entry.at < database.now - Self.settled }
}
