package import Accounts
package import Database

extension Transaction {
    /// Returns those of the sessions that exist, ended or not, each with what a change stream needs to know about its
    /// user; in any order.
    package func listeningSessions(_ sids: [String]) throws -> [ListeningSession] {
        try all(
            """
            SELECT s.sid, s.uid, s.last_used_at, s.ended_at, s.end_reason, u.change_number, u.valid_since,
                COALESCE(u.disabled_at, u.contested_at), s.auth_time, u.anonymous_since
            FROM sessions s LEFT JOIN users u ON u.id = s.user_number AND u.uid = s.uid
            WHERE s.sid IN \(in: sids)
            """
        ) { row in
            ListeningSession(
                sid: try row.text(0),
                uid: try row.text(1),
                lastUsedAt: try row.integer(2),
                authTime: try row.integer(8),
                endedAt: try row.optionalInteger(3),
                endReason: try row.optionalText(4).flatMap(SessionEnd.init),
                user: try row.optionalInteger(5).map { number in
                    ListeningSession.User(
                        disabledAt: try row.optionalInteger(7),
                        validSince: try row.integer(6),
                        changeNumber: number,
                        isAnonymous: try row.optionalInteger(9) != nil
                    )
                }
            )
        }
    }

    /// Returns the next changes for listeners at different positions, each with the current state of its document.
    ///
    /// Returns at most `limit` changes for each position, and stops once the documents of all of them together have
    /// `enoughBytes`.
    ///
    /// - Returns: the changes for each position, in the order of `places`; `nil` for a position that has changes, none
    ///   of which fit.
    package func changes(
        after places: [ChangePlace],
        limit: Int64,
        enoughBytes: Int
    ) throws -> [[AnnouncedChange]?] {
        guard let first = places.first else { return [] }
        var list: SQL = "(0, \(first.uid), CAST(\(first.number) AS BIGINT))"
        var slots = 1
        while slots < places.count { slots *= 2 }
        // Rounded up, so that lists of all lengths share a few prepared statements.
        for index in 1..<max(slots, 2) {
            let place = index < places.count ? places[index] : ChangePlace(uid: "", number: 0)
            list += ", (CAST(\(index) AS BIGINT), \(place.uid), CAST(\(place.number) AS BIGINT))"
        }
        var found = [[AnnouncedChange]?](repeating: [], count: places.count)
        // Numbers have no gaps, so a range of numbers is as many changes. CROSS JOIN keeps the planner from reordering
        // the first join.
        try forEach(
            """
            WITH places (place, uid, number) AS (VALUES \(list)), found AS (
                SELECT places.place, c.number, c.collection, c.name, d.id AS document, d.version,
                    SUM(CASE WHEN d.version = c.number THEN d.bytes ELSE 0 END) OVER (ORDER BY places.place, c.number)
                        - CASE WHEN d.version = c.number THEN d.bytes ELSE 0 END AS bytes_before
                FROM places CROSS JOIN changes c LEFT JOIN documents d
                    ON d.uid = c.uid AND d.collection = c.collection AND d.name = c.name
                WHERE c.uid = places.uid AND c.number > places.number AND c.number <= places.number + \(limit)
            )
            SELECT found.place, found.number, found.collection, found.name, found.version,
                CASE WHEN found.bytes_before < \(enoughBytes) THEN 1 ELSE 0 END, d.content
            FROM found LEFT JOIN documents d
                ON d.id = found.document AND found.version = found.number AND found.bytes_before < \(enoughBytes)
            ORDER BY found.place, found.number
            """
        ) { row in
            let place = Int(try row.integer(0))
            guard try row.integer(5) == 1 else {
                if found[place]?.isEmpty == true { found[place] = nil }
                return true
            }
            let isDeleted = try row.optionalInteger(4) == nil
            found[place]?.append(
                AnnouncedChange(
                    number: try row.integer(1),
                    collection: try row.text(2),
                    name: try row.text(3),
                    outcome: try row.optionalText(6).map { .current($0) } ?? (isDeleted ? .deleted : .superseded)
                )
            )
            return true
        }
        return found
    }
}
