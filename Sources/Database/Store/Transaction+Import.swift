package import Accounts

extension Transaction {
    package func presentUsers(among uids: [String]) throws -> [String] {
        try all("SELECT uid FROM users WHERE uid IN \(in: uids)") { row in try row.text(0) }
    }

    package func formerUsers(among uids: [String]) throws -> [FormerUser] {
        try all(
            "SELECT uid, created_at, gone_at, merged_into FROM former_users WHERE uid IN \(in: uids)"
        ) { row in
            FormerUser(
                uid: try row.text(0),
                createdAt: try row.integer(1),
                goneAt: try row.integer(2),
                mergedInto: try row.optionalText(3)
            )
        }
    }

    package func owners(ofEmails emails: [String]) throws -> [String: String] {
        try owners("SELECT email, uid FROM users WHERE email IN \(in: emails)")
    }

    package func owners(ofSubjects subjects: [String], at provider: String) throws -> [String: String] {
        try owners(
            "SELECT subject, uid FROM identities WHERE provider = \(provider) AND subject IN \(in: subjects)"
        )
    }

    package func forgetDeletedUser(_ uid: String) throws {
        try execute("DELETE FROM former_users WHERE uid = \(uid) AND merged_into IS NULL")
    }

    /// The identities of several users, each user's in the order in which they came.
    package func identities(ofAll uids: [String]) throws -> [String: [Identity]] {
        let identities = try all(
            """
            SELECT uid, provider, subject, email, display_name, photo_url, screen_name FROM identities
            WHERE uid IN \(in: uids) ORDER BY id
            """
        ) { row in
            Identity(
                uid: try row.text(0),
                provider: try row.text(1),
                subject: try row.text(2),
                email: try row.optionalText(3),
                displayName: try row.optionalText(4),
                photoURL: try row.optionalText(5),
                screenName: try row.optionalText(6)
            )
        }
        return Dictionary(grouping: identities, by: \.uid)
    }

    /// Answers who has what, by what they have.
    private func owners(_ sql: SQL) throws -> [String: String] {
        var owners: [String: String] = [:]
        try forEach(sql) { row in
            owners[try row.text(0)] = try row.text(1)
            return true
        }
        return owners
    }
}
