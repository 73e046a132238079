package import Accounts
package import Database

extension Transaction {
    package func linkedIdentities(of uid: String) throws -> [LinkedIdentity] {
        try all(
            """
            SELECT provider, subject, email, display_name, photo_url, screen_name, created_at FROM identities
            WHERE uid = \(uid) ORDER BY id
            """
        ) { row in try LinkedIdentity(row, from: 0, uid: uid) }
    }

    package func insert(_ change: MethodChange) throws {
        let identity = change.method.identity
        try lockUsers([identity.uid])
        try enqueue(
            """
            INSERT INTO method_changes (uid, code, kind, provider, subject, email, display_name, photo_url, screen_name,
                linked_at, device, changed_at, expires_at)
            VALUES (\(identity.uid), \(change.code), \(change.kind.rawValue), \(identity.provider), \(identity.subject),
                \(identity.email), \(identity.displayName), \(identity.photoURL), \(identity.screenName),
                \(change.method.linkedAt), \(change.device), \(change.changedAt), \(change.expiresAt))
            """
        )
    }

    package func methodChanges(of uid: String) throws -> [MethodChange] {
        try all(
            """
            SELECT kind, code, device, changed_at, expires_at, provider, subject, email, display_name, photo_url,
                screen_name, linked_at
            FROM method_changes WHERE uid = \(uid) ORDER BY id
            """
        ) { row in
            MethodChange(
                try row.value(0),
                try LinkedIdentity(row, from: 5, uid: uid),
                code: try row.text(1),
                device: try row.text(2),
                changedAt: try row.integer(3),
                expiresAt: try row.integer(4)
            )
        }
    }

    package func deleteIdentity(_ identity: Identity) throws {
        try enqueue(
            """
            DELETE FROM identities
            WHERE uid = \(identity.uid) AND provider = \(identity.provider) AND subject = \(identity.subject)
            """
        )
    }

    package func forgetRemovals(of identity: Identity) throws {
        try enqueue(
            """
            DELETE FROM method_changes WHERE uid = \(identity.uid) AND provider = \(identity.provider)
                AND subject = \(identity.subject) AND kind = \(MethodChange.Kind.removed.rawValue)
            """
        )
    }

    package func restore(_ method: LinkedIdentity) throws {
        let identity = method.identity
        try lockUsers([identity.uid])
        try enqueue(
            """
            INSERT INTO identities (uid, provider, subject, email, display_name, photo_url, screen_name, created_at)
            VALUES (\(identity.uid), \(identity.provider), \(identity.subject), \(identity.email),
                \(identity.displayName), \(identity.photoURL), \(identity.screenName), \(method.linkedAt))
            ON CONFLICT (uid, provider) DO UPDATE SET subject = excluded.subject, email = excluded.email,
                display_name = excluded.display_name, photo_url = excluded.photo_url,
                screen_name = excluded.screen_name, created_at = excluded.created_at
            """
        )
    }
}

extension LinkedIdentity {
    /// Reads provider, subject, e-mail address, display name, photo URL, screen name and the time of linking from seven
    /// columns, starting at column `first`.
    fileprivate init(_ row: borrowing Row, from first: Int, uid: String) throws {
        self.init(
            Identity(
                uid: uid,
                provider: try row.text(first),
                subject: try row.text(first + 1),
                email: try row.optionalText(first + 2),
                displayName: try row.optionalText(first + 3),
                photoURL: try row.optionalText(first + 4),
                screenName: try row.optionalText(first + 5)
            ),
            linkedAt: try row.integer(first + 6)
        )
    }
}
