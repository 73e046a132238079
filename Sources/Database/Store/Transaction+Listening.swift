package import Accounts

extension Transaction {
    /// Those of the sessions that exist, in any order.
    package func listeningSessions(_ sids: [String]) throws -> [ListeningSession] {
        try all(
            """
            SELECT s.sid, s.uid, s.last_used_at, s.ended_at, s.end_reason, u.change_number, u.valid_since, u.disabled_at
            FROM sessions s LEFT JOIN users u ON u.id = s.user_number AND u.uid = s.uid
            WHERE s.sid IN \(in: sids)
            """
        ) { row in
            ListeningSession(
                sid: try row.text(0),
                uid: try row.text(1),
                lastUsedAt: try row.integer(2),
                endedAt: try row.optionalInteger(3),
                endReason: try row.optionalText(4).flatMap(SessionEnd.init),
                user: try row.optionalInteger(5).map { number in
                    ListeningSession.User(
                        disabledAt: try row.optionalInteger(7),
                        validSince: try row.integer(6),
                        changeNumber: number
                    )
                }
            )
        }
    }

    /// The number of the newest change to a user's documents; `nil` where there is no such user.
    package func changeNumber(of uid: String) throws -> Int64? {
        try first("SELECT change_number FROM users WHERE uid = \(uid)") { row in try row.integer(0) }
    }

    /// The first changes after a number, in order, each with what became of its document: at most `limit`, and no more
    /// once they hold `enoughBytes`.
    package func changes(
        of uid: String,
        after number: Int64,
        limit: Int64,
        enoughBytes: Int
    ) throws -> [AnnouncedChange] {
        var changes: [AnnouncedChange] = []
        var bytes = 0
        try forEach(
            """
            SELECT c.number, c.collection, c.name, d.version, CASE WHEN d.version = c.number THEN d.content END
            FROM changes c LEFT JOIN documents d
                ON d.uid = c.uid AND d.collection = c.collection AND d.name = c.name
            WHERE c.uid = \(uid) AND c.number > \(number) ORDER BY c.number LIMIT \(limit)
            """
        ) { row in
            let isDeleted = try row.optionalInteger(3) == nil
            let content = try row.optionalText(4)
            changes.append(
                AnnouncedChange(
                    number: try row.integer(0),
                    collection: try row.text(1),
                    name: try row.text(2),
                    outcome: content.map { .current($0) } ?? (isDeleted ? .deleted : .superseded)
                )
            )
            bytes += content?.utf8.count ?? 0
            return bytes < enoughBytes
        }
        return changes
    }
}
