package import Accounts
package import Database

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

    /// Runs a query for a value and the UID of its owner, and returns the UIDs by value.
    private func owners(_ sql: SQL) throws -> [String: String] {
        var owners: [String: String] = [:]
        try forEach(sql) { row in
            owners[try row.text(0)] = try row.text(1)
            return true
        }
        return owners
    }
}
