import Testing

extension Cluster {
    /// What must hold in the database at any moment: each statement finds what breaks a rule.
    private static let rules = [
        ("a user is there and gone", "SELECT uid FROM users JOIN former_users USING (uid)"),
        (
            "a merged user has no successor",
            """
            SELECT f.uid FROM former_users f WHERE merged_into IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM users u WHERE u.uid = f.merged_into)
                AND NOT EXISTS (SELECT 1 FROM former_users g WHERE g.uid = f.merged_into)
            """
        ),
        (
            "a merged user has not exactly one merge",
            """
            SELECT f.uid FROM former_users f LEFT JOIN merges m ON m.uid = f.uid AND m.state = 'committed'
                AND m.target_uid = f.merged_into
            WHERE f.merged_into IS NOT NULL GROUP BY f.uid HAVING count(m.id) <> 1
            """
        ),
        (
            "a merge is recorded that did not happen",
            """
            SELECT merge FROM merges m WHERE state = 'committed'
                AND NOT EXISTS (SELECT 1 FROM former_users f WHERE f.uid = m.uid AND f.merged_into = m.target_uid)
            """
        ),
        ("a merge is not settled", "SELECT merge FROM merges WHERE state = 'preparing'"),
        ("a user is held", "SELECT uid FROM users WHERE merge_id IS NOT NULL"),
        (
            "something has no owner",
            """
            SELECT 'document ' || uid FROM documents WHERE uid NOT IN (SELECT uid FROM users)
            UNION ALL SELECT 'change ' || uid FROM changes WHERE uid NOT IN (SELECT uid FROM users)
            UNION ALL SELECT 'identity ' || uid FROM identities WHERE uid NOT IN (SELECT uid FROM users)
            UNION ALL SELECT 'username ' || uid FROM usernames WHERE uid NOT IN (SELECT uid FROM users)
            """
        ),
        (
            "a session of nobody is open",
            "SELECT sid FROM sessions WHERE ended_at IS NULL AND uid NOT IN (SELECT uid FROM users)"
        ),
        (
            "documents are counted wrong",
            """
            SELECT u.uid FROM users u LEFT JOIN documents d ON d.uid = u.uid
            GROUP BY u.uid, u.document_count, u.document_bytes
            HAVING count(d.id) <> u.document_count OR coalesce(sum(d.bytes), 0) <> u.document_bytes
            """
        ),
        (
            "a version is of no change",
            """
            SELECT d.uid || ' ' || d.name FROM documents d JOIN users u ON u.uid = d.uid
            WHERE d.version > u.change_number OR NOT EXISTS (
                SELECT 1 FROM changes c
                WHERE c.uid = d.uid AND c.number = d.version AND c.collection = d.collection AND c.name = d.name
            )
            """
        ),
        (
            "numbers of changes have gaps",
            """
            SELECT u.uid FROM users u JOIN changes c ON c.uid = u.uid GROUP BY u.uid, u.change_number
            HAVING max(c.number) <> u.change_number OR max(c.number) - min(c.number) + 1 <> count(*)
            """
        ),
        (
            "a permanent user is taken for a guest, or the other way round",
            "SELECT uid FROM users WHERE (anonymous_since IS NULL) <> (email IS NOT NULL)"
        ),
        (
            "a spent ticket led nowhere",
            """
            SELECT ticket FROM tickets t WHERE state = 'spent' AND NOT EXISTS (
                SELECT 1 FROM sessions s WHERE s.sid = t.result_sid AND s.uid = t.result_uid
            ) AND EXISTS (SELECT 1 FROM users u WHERE u.uid = t.result_uid)
            """
        ),
    ]

    /// Expects that what people know holds on every node, and that nothing is half done.
    ///
    /// - Parameter title: under which the counts are printed.
    func check(_ people: [Person] = [], _ title: String = "") async throws {
        for (rule, sql) in Self.rules {
            let broken = try rows(sql)
            #expect(broken.isEmpty, "\(rule): \(broken.prefix(5))")
        }
        let former = try Dictionary(
            uniqueKeysWithValues: rows("SELECT uid, coalesce(merged_into, '') FROM former_users").map { row in
                let parts = row.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
                return (parts[0], parts[1])
            }
        )
        var counts = (days: 0, merged: 0, deleted: 0)
        for person in people {
            try await person.verify()
            for (guest, heir) in await person.merged { #expect(former[guest] == heir, "a merge is gone") }
            for uid in await person.deleted { #expect(former[uid] == "", "a deletion is gone") }
            counts.days += await person.days
            counts.merged += await person.merged.count
            counts.deleted += await person.deleted.count
        }
        guard !people.isEmpty else { return }
        let seen = watch.value
        print(
            "\(title): \(counts.days) days of people with \(counts.merged) merges and \(counts.deleted) deletions;"
                + " \(seen.answered) calls answered, \(seen.unavailable) put off, \(seen.unknown) with unknown end,"
                + " the longest took \(Int(seen.longest)) ms"
        )
        #expect(counts.days > 0)
    }
}
