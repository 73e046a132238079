internal import Accounts
package import Database

extension Transaction {
    /// Checks Latchkey's tables for violations of invariant 4 (docs/architecture.md), dangling references, wrong sums,
    /// and administrators that are not users.
    ///
    /// The engine scans the tables, and returns at most ten examples of each finding.
    ///
    /// - Parameter progress: receives the name of each rule that is checked by SQL, before it is checked; not of
    ///   `administrator-unknown`.
    /// - Returns: the findings, in the order of the rules.
    package func check(progress: (String) -> Void = { _ in }) throws -> [DatabaseFinding] {
        try Self.rules.compactMap { rule in
            progress(rule.name)
            return try find(rule)
        } + [foreignAdministrators()].compactMap(\.self)
    }

    /// Returns the number of rows in each of Latchkey's tables except `schema_migrations`, in the order of their names.
    package func countRows() throws -> [(table: String, rows: Int64)] {
        try OwnTables.copied.sorted().map { table in
            (table, try first("SELECT COUNT(*) FROM \(identifier: table)") { row in try row.integer(0) } ?? 0)
        }
    }

    private func find(_ rule: Rule) throws -> DatabaseFinding? {
        var count: Int64 = 0
        let examples = try all(
            "SELECT found.what, COUNT(*) OVER () FROM (\(rule.violations)) AS found ORDER BY found.what LIMIT 10"
        ) { row in
            count = try row.integer(1)
            return try row.text(0)
        }
        guard count > 0 else { return nil }
        return DatabaseFinding(rule: rule.name, what: rule.what, count: count, examples: examples)
    }

    /// Returns the finding about administrators that are not users; `nil` if there are none.
    ///
    /// The list of administrators is a single setting, so SQL cannot check it.
    private func foreignAdministrators() throws -> DatabaseFinding? {
        let administrators = try administratorList().uids
        let users = Set(try presentUsers(among: administrators))
        let strangers = administrators.filter { !users.contains($0) }
        guard !strangers.isEmpty else { return nil }
        return DatabaseFinding(
            rule: "administrator-unknown",
            what: "administrators that are not users",
            count: Int64(strangers.count),
            examples: Array(strangers.prefix(10))
        )
    }

    private struct Rule: Sendable {
        let name: String
        let what: String
        /// The query that selects the violations of the rule, each as a text in the column `what`.
        let violations: SQL
    }

    private static let rules: [Rule] =
        ownership + [
            Rule(
                name: "user-twice",
                what: "UIDs of users that are also recorded as deleted or merged",
                violations: "SELECT f.uid AS what FROM former_users f JOIN users u ON u.uid = f.uid"
            ),
            Rule(
                name: "user-lost",
                what: "UIDs in the audit log that are neither users nor recorded as deleted or merged",
                violations: """
                    SELECT DISTINCT a.uid AS what FROM audit_log a WHERE a.uid IS NOT NULL
                        AND NOT \(isUser("a.uid")) AND NOT EXISTS (SELECT 1 FROM former_users f WHERE f.uid = a.uid)
                    """
            ),
            Rule(
                name: "successor-unknown",
                what: "users merged into a UID that never existed",
                violations: """
                    SELECT f.uid AS what FROM former_users f WHERE f.merged_into IS NOT NULL
                        AND NOT \(isUser("f.merged_into"))
                        AND NOT EXISTS (SELECT 1 FROM former_users g WHERE g.uid = f.merged_into)
                    """
            ),
            Rule(
                name: "successor-circle",
                what: "users merged into themselves",
                violations: """
                    WITH RECURSIVE chains (uid, successor) AS (
                        SELECT f.uid, f.merged_into FROM former_users f
                            JOIN former_users g ON g.uid = f.merged_into AND g.merged_into IS NOT NULL
                        UNION SELECT c.uid, f.merged_into FROM chains c JOIN former_users f ON f.uid = c.successor
                        WHERE f.merged_into IS NOT NULL
                    )
                    SELECT uid AS what FROM chains WHERE uid = successor
                    """
            ),
            Rule(
                name: "merge-not-done",
                what: "committed merges whose guests were not merged",
                violations: """
                    SELECT m.merge AS what FROM merges m WHERE m.state = 'committed' AND NOT EXISTS
                        (SELECT 1 FROM former_users f WHERE f.uid = m.uid AND f.merged_into = m.target_uid)
                    """
            ),
            Rule(
                name: "merge-without-guest",
                what: "merges in preparation that lock no guest",
                violations: """
                    SELECT m.merge AS what FROM merges m WHERE m.state = 'preparing'
                        AND NOT EXISTS (SELECT 1 FROM users u WHERE u.uid = m.uid AND u.merge_id = m.merge)
                    """
            ),
            Rule(
                name: "guest-held",
                what: "users locked by a merge that is not in preparation",
                violations: """
                    SELECT u.uid AS what FROM users u WHERE u.merge_id IS NOT NULL AND NOT EXISTS
                        (SELECT 1 FROM merges m WHERE m.merge = u.merge_id AND m.uid = u.uid AND m.state = 'preparing')
                    """
            ),
            Rule(
                name: "question-open",
                what: "hooks that were asked about a merge and never received its outcome",
                violations: """
                    SELECT w.delivery AS what FROM webhook_deliveries w WHERE w.state = 'asked'
                        AND NOT EXISTS (SELECT 1 FROM merges m WHERE m.merge = w.merge AND m.state = 'preparing')
                    """
            ),
            Rule(
                name: "session-alive",
                what: "open sessions of UIDs that are not users",
                violations: """
                    SELECT s.uid AS what FROM sessions s WHERE s.ended_at IS NULL AND NOT \(isUser("s.uid"))
                    """
            ),
            Rule(
                name: "session-without-owner",
                what: "sessions of UIDs that are neither users nor merged",
                violations: """
                    SELECT s.uid AS what FROM sessions s WHERE NOT \(isUser("s.uid")) AND NOT EXISTS
                        (SELECT 1 FROM former_users f WHERE f.uid = s.uid AND f.merged_into IS NOT NULL)
                    """
            ),
            Rule(
                name: "session-not-found",
                what: "sessions without the number of their user",
                violations: """
                    SELECT s.uid AS what FROM sessions s JOIN users u ON u.uid = s.uid WHERE s.user_number <> u.id
                    """
            ),
            Rule(
                name: "code-without-ticket",
                what: "action codes of missing tickets",
                violations: """
                    SELECT CAST(a.id AS TEXT) AS what FROM action_codes a WHERE a.ticket IS NOT NULL
                        AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.ticket = a.ticket)
                    """
            ),
            Rule(
                name: "documents-miscounted",
                what: "users whose recorded number or size of documents is wrong",
                // Looked up for each user, because a list of all sums would take much memory.
                violations: """
                    SELECT u.uid AS what FROM users u
                    WHERE u.document_count <> (SELECT COUNT(*) FROM documents d WHERE d.uid = u.uid)
                        OR u.document_bytes <> (SELECT COALESCE(SUM(d.bytes), 0) FROM documents d WHERE d.uid = u.uid)
                    """
            ),
            Rule(
                name: "version-ahead",
                what: "documents with a version that was not issued yet",
                violations: """
                    SELECT CAST(d.id AS TEXT) AS what FROM documents d JOIN users u ON u.uid = d.uid
                    WHERE d.version > u.change_number
                    """
            ),
            Rule(
                name: "change-ahead",
                what: "changes with a number that was not issued yet",
                violations: """
                    SELECT CAST(c.id AS TEXT) AS what FROM changes c JOIN users u ON u.uid = c.uid
                    WHERE c.number > u.change_number
                    """
            ),
        ]

    private static let ownership = ["identities", "documents", "changes", "usernames"].map { table in
        Rule(
            name: "\(table)-without-owner",
            what: "\(table) of UIDs that are not users",
            violations: "SELECT t.uid AS what FROM \(identifier: table) t WHERE NOT \(isUser("t.uid"))"
        )
    }

    private static func isUser(_ uid: SQL) -> SQL {
        "EXISTS (SELECT 1 FROM users u WHERE u.uid = \(uid))"
    }
}
