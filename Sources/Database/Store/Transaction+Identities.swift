package import Accounts

extension Transaction {
    package func identities(of uid: String) throws -> [Identity] {
        try all(
            """
            SELECT provider, subject, email, display_name, photo_url, screen_name FROM identities
            WHERE uid = \(uid) ORDER BY id
            """
        ) { row in
            Identity(
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

    package func deleteIdentity(of uid: String, provider: String) throws {
        try execute("DELETE FROM identities WHERE uid = \(uid) AND provider = \(provider)")
    }
}
