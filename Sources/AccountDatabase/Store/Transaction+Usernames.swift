package import Accounts
package import Database

extension Transaction {
    package func username(of uid: String) throws -> String? {
        try first("SELECT name FROM usernames WHERE uid = \(uid)") { row in try row.text(0) }
    }

    /// Returns the usernames of users by their UIDs.
    package func usernames(ofUsers uids: [String]) throws -> [String: String] {
        let rows = try all("SELECT uid, name FROM usernames WHERE uid\(dialect.isAny(of: uids))") { row in
            (try row.text(0), try row.text(1))
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// Returns the usernames of the users whose UID is greater than `uid` and at most `last`, by UID.
    package func usernames(ofUsersAfter uid: String, through last: String) throws -> [String: String] {
        let rows = try all("SELECT uid, name FROM usernames WHERE uid > \(uid) AND uid <= \(last)") { row in
            (try row.text(0), try row.text(1))
        }
        return Dictionary(rows) { first, _ in first }
    }

    package func holder(of username: Username) throws -> UsernameHolder? {
        try first("SELECT uid, name FROM usernames WHERE canonical = \(username.canonical)") { row in
            UsernameHolder(uid: try row.text(0), username: try row.text(1))
        }
    }

    package func setUsername(_ username: Username, of uid: String) throws {
        try enqueue(
            """
            INSERT INTO usernames (uid, name, canonical, created_at)
            VALUES (\(uid), \(username.text), \(username.canonical), \(now))
            ON CONFLICT (uid) DO UPDATE SET name = excluded.name, canonical = excluded.canonical,
                created_at = excluded.created_at
            """
        )
    }

    package func releaseUsername(of uid: String) throws {
        try enqueue("DELETE FROM usernames WHERE uid = \(uid)")
    }
}
