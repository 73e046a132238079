import Testing

extension Cluster {
    /// Rules beyond those of `latchkey database check`; each statement finds violations.
    private static let rules = [
        ("a merge is not settled", "SELECT merge FROM merges WHERE state = 'preparing'"),
        (
            "a merged user has not exactly one merge",
            """
            SELECT f.uid FROM former_users f LEFT JOIN merges m ON m.uid = f.uid AND m.state = 'committed'
            WHERE f.merged_into IS NOT NULL GROUP BY f.uid HAVING count(m.id) <> 1
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
    ]

    /// Expects that what people know holds on every node, and that nothing is half done.
    ///
    /// - Parameter title: the title under which the counts are printed.
    func check(_ people: [Person] = [], _ title: String = "") async throws {
        let report = try await run(["database", "check"])
        #expect(report.status == 0, "\(report.output)\n\(report.errors)")
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
