package import Accounts
package import Database

extension Transaction {
    package func identities(of uid: String) throws -> [Identity] {
        try all(Self.identities(ofUser: .value(uid))) { row in try Identity(row, uid: uid) }
    }

    /// Returns the query of ``identities(of:)``.
    static func identities(ofUser uid: Operand) -> SQL {
        """
        SELECT provider, subject, email, display_name, photo_url, screen_name FROM identities
        WHERE uid = \(uid) ORDER BY id
        """
    }

    /// Returns the identities of users by their UIDs.
    package func identities(ofUsers uids: [String]) throws -> [String: [Identity]] {
        try identitiesByUser(where: "uid\(dialect.isAny(of: uids))")
    }

    /// Returns the identities that fulfill a condition, by the UIDs of their users.
    func identitiesByUser(where condition: SQL) throws -> [String: [Identity]] {
        let identities = try all(
            """
            SELECT provider, subject, email, display_name, photo_url, screen_name, uid FROM identities
            WHERE \(condition) ORDER BY id
            """
        ) { row in try Identity(row, uid: row.text(6)) }
        return Dictionary(grouping: identities, by: \.uid)
    }

    package func identities(ofOwnerOf email: String) throws -> [Identity] {
        try all(Self.identities(ofOwnerOf: .value(email))) { row in try Identity(row, uid: row.text(6)) }
    }

    /// Returns the query of ``identities(ofOwnerOf:)``.
    static func identities(ofOwnerOf email: Operand) -> SQL {
        """
        SELECT i.provider, i.subject, i.email, i.display_name, i.photo_url, i.screen_name, u.uid
        FROM users u JOIN identities i ON i.uid = u.uid WHERE u.email = \(email) ORDER BY i.id
        """
    }

    /// Returns the identities of the users whose UID is greater than `uid` and at most `last`, in ascending order of
    /// UIDs.
    package func identities(ofUsersAfter uid: String, through last: String) throws -> [Identity] {
        try all(
            """
            SELECT provider, subject, email, display_name, photo_url, screen_name, uid FROM identities
            WHERE uid > \(uid) AND uid <= \(last) ORDER BY uid, id
            """
        ) { row in try Identity(row, uid: row.text(6)) }
    }

    package func deleteIdentity(of uid: String, provider: String) throws {
        try lockUsers([uid])
        try enqueue("DELETE FROM identities WHERE uid = \(uid) AND provider = \(provider)")
    }

    package func deleteIdentities(of uid: String) throws {
        try lockUsers([uid])
        try enqueue("DELETE FROM identities WHERE uid = \(uid)")
    }

    package func deleteIdentities(of uid: String, linkedSince time: Int64) throws {
        try lockUsers([uid])
        try enqueue("DELETE FROM identities WHERE uid = \(uid) AND created_at >= \(time)")
    }

    package func identity(_ subject: String, at provider: String) throws -> Identity? {
        try first(
            """
            SELECT uid, email, display_name, photo_url, screen_name FROM identities
            WHERE provider = \(provider) AND subject = \(subject)
            """
        ) { row in
            Identity(
                uid: try row.text(0),
                provider: provider,
                subject: subject,
                email: try row.optionalText(1),
                displayName: try row.optionalText(2),
                photoURL: try row.optionalText(3),
                screenName: try row.optionalText(4)
            )
        }
    }

    package func identity(email: String) throws -> Identity? {
        // The plus keeps the planner from reading all rows in the order of their ids.
        try first(
            """
            SELECT uid, provider, subject, display_name, photo_url, screen_name FROM identities
            WHERE email = \(email) ORDER BY +id LIMIT 1
            """
        ) { row in
            Identity(
                uid: try row.text(0),
                provider: try row.text(1),
                subject: try row.text(2),
                email: email,
                displayName: try row.optionalText(3),
                photoURL: try row.optionalText(4),
                screenName: try row.optionalText(5)
            )
        }
    }

    package func put(_ identity: Identity) throws {
        try lockUsers([identity.uid])
        try enqueue(
            """
            INSERT INTO identities (uid, provider, subject, email, display_name, photo_url, screen_name, created_at)
            VALUES (\(identity.uid), \(identity.provider), \(identity.subject), \(identity.email),
                \(identity.displayName), \(identity.photoURL), \(identity.screenName), \(now))
            ON CONFLICT (uid, provider) DO UPDATE SET subject = excluded.subject, email = excluded.email,
                display_name = excluded.display_name, photo_url = excluded.photo_url,
                screen_name = excluded.screen_name, created_at = CASE WHEN identities.subject = excluded.subject
                THEN identities.created_at ELSE excluded.created_at END
            """
        )
    }

    package func spendToken(_ digest: String, until expiry: Int64) throws -> Bool {
        try execute(
            """
            INSERT INTO spent_tokens (digest, expires_at) VALUES (\(digest), \(expiry))
            ON CONFLICT (digest) DO NOTHING
            """
        ) == 1
    }
}

extension Identity {
    /// Reads provider, subject, e-mail address, display name, photo URL and screen name from the first six columns, in
    /// this order.
    fileprivate init(_ row: borrowing Row, uid: String) throws {
        self.init(
            uid: uid,
            provider: try row.text(0),
            subject: try row.text(1),
            email: try row.optionalText(2),
            displayName: try row.optionalText(3),
            photoURL: try row.optionalText(4),
            screenName: try row.optionalText(5)
        )
    }
}
