package import Accounts
package import Database

extension Transaction {
    package func adoptedSession(of uid: String, authTime: Int64) throws -> String? {
        try first("SELECT sid FROM adopted_sessions WHERE uid = \(uid) AND auth_time = \(authTime)") { row in
            try row.text(0)
        }
    }

    package func adoptedSession(ofToken digests: [String]) throws -> (sid: String, uid: String)? {
        try first("SELECT sid, uid FROM adopted_tokens WHERE digest IN \(in: digests)") { row in
            (sid: try row.text(0), uid: try row.text(1))
        }
    }

    package func insertAdoptedSession(_ sid: String, of uid: String, authTime: Int64) throws -> Bool {
        try execute(
            """
            INSERT INTO adopted_sessions (uid, auth_time, sid, adopted_at)
            VALUES (\(uid), \(authTime), \(sid), \(now))
            ON CONFLICT (uid, auth_time) DO NOTHING
            """
        ) == 1
    }

    package func insertAdoptedToken(_ digest: String, sid: String, uid: String) throws {
        try enqueue(
            """
            INSERT INTO adopted_tokens (digest, uid, sid) VALUES (\(digest), \(uid), \(sid))
            ON CONFLICT (digest) DO NOTHING
            """
        )
    }

    package func firebaseUser(_ uid: String) throws -> FirebaseUser? {
        try first("SELECT changed_at, ended_at, moved_at FROM firebase_users WHERE uid = \(uid)") { row in
            FirebaseUser(
                changedAt: try row.optionalInteger(0),
                endedAt: try row.optionalInteger(1),
                movedAt: try row.optionalInteger(2)
            )
        }
    }

    package func hasSession(_ uid: String) throws -> Bool {
        try first(
            """
            SELECT 1 FROM sessions
            WHERE user_number = (SELECT id FROM users WHERE uid = \(uid)) AND uid = \(uid) LIMIT 1
            """
        ) { _ in true } ?? false
    }

    package func recordFirebaseChange(of uid: String, endsSessions: Bool) throws {
        try enqueue(
            """
            INSERT INTO firebase_users (uid, changed_at, ended_at)
            SELECT u.uid, CAST(\(now) AS BIGINT), CAST(\(endsSessions ? now : nil) AS BIGINT)
            FROM users u WHERE u.uid = \(uid) AND u.imported_at IS NOT NULL
            ON CONFLICT (uid) DO UPDATE SET changed_at = excluded.changed_at,
                ended_at = COALESCE(excluded.ended_at, firebase_users.ended_at)
            """
        )
    }

    package func recordFirebaseMove(of uid: String, isGuest: Bool) throws {
        try enqueue(
            """
            INSERT INTO firebase_users (uid, is_guest, moved_at) VALUES (\(uid), \(isGuest ? 1 : 0), \(now))
            ON CONFLICT (uid) DO UPDATE SET is_guest = excluded.is_guest, moved_at = excluded.moved_at
            """
        )
    }

    package func recordFirebaseSightings(_ sightings: [FirebaseSighting]) throws {
        // In the order of UIDs, so that two nodes do not deadlock.
        for sighting in sightings.sorted(by: { $0.uid < $1.uid }) {
            try enqueue(
                """
                INSERT INTO firebase_users (uid, is_guest, seen_at)
                VALUES (\(sighting.uid), \(sighting.isGuest.map { $0 ? 1 : 0 }), \(sighting.at))
                ON CONFLICT (uid) DO UPDATE SET seen_at = excluded.seen_at,
                    is_guest = COALESCE(excluded.is_guest, firebase_users.is_guest)
                """
            )
        }
    }

    package func recordFirebaseRefreshes(_ refreshes: [(uid: String, at: Int64)]) throws {
        for refresh in refreshes.sorted(by: { $0.uid < $1.uid }) {
            try enqueue(
                """
                INSERT INTO firebase_users (uid, refreshed_there_at) VALUES (\(refresh.uid), \(refresh.at))
                ON CONFLICT (uid) DO UPDATE SET refreshed_there_at = excluded.refreshed_there_at
                """
            )
        }
    }

    package func addFirebaseCount(_ name: String, by count: Int64) throws {
        try enqueue(
            """
            INSERT INTO firebase_counts (name, value) VALUES (\(name), \(count))
            ON CONFLICT (name) DO UPDATE SET value = firebase_counts.value + excluded.value
            """
        )
    }

    package func raiseFirebaseCount(_ name: String, to value: Int64) throws {
        try enqueue(
            """
            INSERT INTO firebase_counts (name, value) VALUES (\(name), \(value))
            ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE firebase_counts.value < excluded.value
            """
        )
    }

    package func firebaseCounts() throws -> [(name: String, value: Int64)] {
        try all("SELECT name, value FROM firebase_counts ORDER BY name") { row in
            (name: try row.text(0), value: try row.integer(1))
        }
    }

    package func countAdoptedSessionsWithToken() throws -> Int64 {
        try first("SELECT count(DISTINCT sid) FROM adopted_tokens") { try $0.integer(0) } ?? 0
    }

    package func firebaseTotals() throws -> FirebaseTotals {
        let sessions = try first("SELECT count(*) FROM adopted_sessions") { try $0.integer(0) } ?? 0
        let moved =
            try first("SELECT count(*) FROM firebase_users WHERE moved_at IS NOT NULL") { try $0.integer(0) } ?? 0
        return try first(
            """
            SELECT count(*), COALESCE(sum(CASE WHEN u.anonymous_since IS NOT NULL OR u.uid IS NULL AND f.is_guest = 1
                THEN 1 ELSE 0 END), 0), count(f.seen_at), min(f.seen_at)
            FROM (\(Self.unmoved)) x
            LEFT JOIN users u ON u.uid = x.uid LEFT JOIN firebase_users f ON f.uid = x.uid
            """
        ) { row in
            FirebaseTotals(
                movedUsers: moved,
                movedSessions: sessions,
                unmovedUsers: try row.integer(0),
                unmovedGuests: try row.integer(1),
                unmovedSessions: try row.integer(2),
                oldestUnmovedSeenAt: try row.optionalInteger(3)
            )
        } ?? FirebaseTotals(movedUsers: moved, movedSessions: sessions)
    }

    /// The UIDs of users who were imported or seen, and have no session that moved.
    private static let unmoved: SQL = """
        SELECT uid FROM users i WHERE i.imported_at IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM firebase_users m WHERE m.uid = i.uid AND m.moved_at IS NOT NULL)
        UNION SELECT uid FROM firebase_users WHERE seen_at IS NOT NULL AND moved_at IS NULL
        """

    package func movedFirebaseUsers(limit: Int) throws -> [FirebaseUserReport] {
        try all(
            """
            SELECT f.uid, f.is_guest, f.seen_at, f.moved_at, f.refreshed_there_at FROM firebase_users f
            WHERE f.moved_at IS NOT NULL ORDER BY f.moved_at DESC, f.uid LIMIT \(limit)
            """
        ) { row in try FirebaseUserReport(row) }
    }

    package func unmovedFirebaseUsers(limit: Int) throws -> [FirebaseUserReport] {
        try all(
            """
            SELECT x.uid, CASE WHEN u.uid IS NULL THEN f.is_guest WHEN u.anonymous_since IS NULL THEN 0 ELSE 1 END,
                f.seen_at, f.moved_at, f.refreshed_there_at
            FROM (\(Self.unmoved)) x
            LEFT JOIN users u ON u.uid = x.uid LEFT JOIN firebase_users f ON f.uid = x.uid
            ORDER BY COALESCE(f.seen_at, 0) DESC, x.uid LIMIT \(limit)
            """
        ) { row in try FirebaseUserReport(row) }
    }

    package func returningFirebaseUsers(limit: Int) throws -> [FirebaseUserReport] {
        // A minute more, because the move itself refreshes a token at Firebase.
        try all(
            """
            SELECT f.uid, f.is_guest, f.seen_at, f.moved_at, f.refreshed_there_at FROM firebase_users f
            WHERE f.moved_at IS NOT NULL AND f.refreshed_there_at > f.moved_at + 60000
            ORDER BY f.refreshed_there_at DESC, f.uid LIMIT \(limit)
            """
        ) { row in try FirebaseUserReport(row) }
    }
}

extension FirebaseUserReport {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            uid: try row.text(0),
            isGuest: try row.optionalInteger(1).map { $0 == 1 },
            seenAt: try row.optionalInteger(2),
            movedAt: try row.optionalInteger(3),
            refreshedThereAt: try row.optionalInteger(4)
        )
    }
}
