extension Transaction {
    /// Looks for what must not be, in all of our tables: invariant 4 (docs/architecture.md), references that lead nowhere, and
    /// sums that are wrong.
    ///
    /// The engine goes through the tables; of what it finds only a few examples come here.
    ///
    /// - Parameter progress: told the name of each rule before it is asked about.
    /// - Returns: what was found, in the order of the rules.
    package func check(progress: (String) -> Void = { _ in }) throws -> [DatabaseFinding] {
        try Self.rules.compactMap { rule in
            progress(rule.name)
            return try find(rule)
        } + [foreignAdministrators()].compactMap(\.self)
    }

    /// How many rows each of our tables has, by name.
    package func countRows() throws -> [(table: String, rows: Int64)] {
        try SchemaContent.copiedTables.sorted().map { table in
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

    /// The list of administrators is one value, so it is looked through here.
    private func foreignAdministrators() throws -> DatabaseFinding? {
        let administrators = try administrators()
        let users = Set(try presentUsers(among: administrators))
        let strangers = administrators.filter { !users.contains($0) }
        guard !strangers.isEmpty else { return nil }
        return DatabaseFinding(
            rule: "administrator-unknown",
            what: "administrators who are no users",
            count: Int64(strangers.count),
            examples: Array(strangers.prefix(10))
        )
    }

    private struct Rule: Sendable {
        let name: String
        let what: String
        /// Answers what breaks the rule, in a text column `what`.
        let violations: SQL
    }

    private static let rules: [Rule] =
        ownership + [
            Rule(
                name: "user-twice",
                what: "UIDs of users who are also gone",
                violations: "SELECT f.uid AS what FROM former_users f JOIN users u ON u.uid = f.uid"
            ),
            Rule(
                name: "user-lost",
                what: "UIDs in the audit log that are neither users nor gone",
                violations: """
                    SELECT DISTINCT a.uid AS what FROM audit_log a WHERE a.uid IS NOT NULL
                        AND NOT \(isUser("a.uid")) AND NOT EXISTS (SELECT 1 FROM former_users f WHERE f.uid = a.uid)
                    """
            ),
            Rule(
                name: "successor-unknown",
                what: "merged users whose successor never was",
                violations: """
                    SELECT f.uid AS what FROM former_users f WHERE f.merged_into IS NOT NULL
                        AND NOT \(isUser("f.merged_into"))
                        AND NOT EXISTS (SELECT 1 FROM former_users g WHERE g.uid = f.merged_into)
                    """
            ),
            Rule(
                name: "successor-circle",
                what: "merged users who are their own successors",
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
                what: "merges that are committed, and whose guests did not go there",
                violations: """
                    SELECT m.merge AS what FROM merges m WHERE m.state = 'committed' AND NOT EXISTS
                        (SELECT 1 FROM former_users f WHERE f.uid = m.uid AND f.merged_into = m.target_uid)
                    """
            ),
            Rule(
                name: "merge-without-guest",
                what: "merges being prepared that hold no guest",
                violations: """
                    SELECT m.merge AS what FROM merges m WHERE m.state = 'preparing'
                        AND NOT EXISTS (SELECT 1 FROM users u WHERE u.uid = m.uid AND u.merge_id = m.merge)
                    """
            ),
            Rule(
                name: "guest-held",
                what: "users held by a merge that is not being prepared",
                violations: """
                    SELECT u.uid AS what FROM users u WHERE u.merge_id IS NOT NULL AND NOT EXISTS
                        (SELECT 1 FROM merges m WHERE m.merge = u.merge_id AND m.uid = u.uid AND m.state = 'preparing')
                    """
            ),
            Rule(
                name: "question-open",
                what: "hooks that were asked about a merge and never heard what came of it",
                violations: """
                    SELECT w.delivery AS what FROM webhook_deliveries w WHERE w.state = 'asked'
                        AND NOT EXISTS (SELECT 1 FROM merges m WHERE m.merge = w.merge AND m.state = 'preparing')
                    """
            ),
            Rule(
                name: "session-alive",
                what: "sessions that have not ended, of UIDs that are no users",
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
                what: "sessions that are not found by their users' numbers",
                violations: """
                    SELECT s.uid AS what FROM sessions s JOIN users u ON u.uid = s.uid WHERE s.user_number <> u.id
                    """
            ),
            Rule(
                name: "code-without-ticket",
                what: "action codes of tickets that are not there",
                violations: """
                    SELECT CAST(a.id AS TEXT) AS what FROM action_codes a WHERE a.ticket IS NOT NULL
                        AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.ticket = a.ticket)
                    """
            ),
            Rule(
                name: "documents-miscounted",
                what: "users whose documents are other in number or size than noted",
                // Looked up for each user, since a list of all sums would have to be kept somewhere.
                violations: """
                    SELECT u.uid AS what FROM users u
                    WHERE u.document_count <> (SELECT COUNT(*) FROM documents d WHERE d.uid = u.uid)
                        OR u.document_bytes <> (SELECT COALESCE(SUM(d.bytes), 0) FROM documents d WHERE d.uid = u.uid)
                    """
            ),
            Rule(
                name: "version-ahead",
                what: "documents of a version that is not given out yet",
                violations: """
                    SELECT CAST(d.id AS TEXT) AS what FROM documents d JOIN users u ON u.uid = d.uid
                    WHERE d.version > u.change_number
                    """
            ),
            Rule(
                name: "change-ahead",
                what: "changes with a number that is not given out yet",
                violations: """
                    SELECT CAST(c.id AS TEXT) AS what FROM changes c JOIN users u ON u.uid = c.uid
                    WHERE c.number > u.change_number
                    """
            ),
        ]

    private static let ownership = ["identities", "documents", "changes", "usernames"].map { table in
        Rule(
            name: "\(table)-without-owner",
            what: "\(table) of UIDs that are no users",
            violations: "SELECT t.uid AS what FROM \(identifier: table) t WHERE NOT \(isUser("t.uid"))"
        )
    }

    private static func isUser(_ uid: SQL) -> SQL {
        "EXISTS (SELECT 1 FROM users u WHERE u.uid = \(uid))"
    }
}
