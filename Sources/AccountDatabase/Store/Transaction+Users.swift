package import Accounts
package import Database

extension Transaction {
    package func user(_ uid: String) throws -> User? {
        try first("SELECT \(User.columns) FROM users u WHERE u.uid = \(uid)") { row in try User(row, at: 0) }
    }

    package func user(email: String) throws -> User? {
        let user = try first(Self.user(ofAddress: .value(email))) { row in try User(row, at: 0) }
        if user == nil, !isPrefetching { requireNoOwner(of: email) }
        return user
    }

    /// Returns the query of ``user(email:)``.
    static func user(ofAddress email: Operand) -> SQL { "SELECT \(User.columns) FROM users u WHERE u.email = \(email)" }

    /// Ensures at the commit that no redemption has given the address to a new user since the transaction began.
    ///
    /// A redemption at READ COMMITTED locks and changes its ticket. If the transaction takes the address itself, a unique
    /// key protects it.
    private func requireNoOwner(of email: String) {
        let lock = RowLock.ticketsOfFreeAddress
        guard dialect == .postgreSQL, isolation == .serializable, !omits(lock.name) else { return }
        let tickets: SQL = "FROM tickets WHERE email = \(email) AND state IN ('open', 'approved')"
        // A negative limit is a conflict, as in `require`: one of the tickets is locked by another transaction.
        checkBeforeCommit(
            email,
            """
            WITH locked AS (SELECT 1 \(tickets)\(rowLockSkippingOthers(lock)))
            SELECT 1 LIMIT (SELECT count(*) FROM locked) - (SELECT count(*) \(tickets))
            """
        )
    }

    package func lockedOwner(of email: String, redeeming code: String) throws -> User? {
        // Who knows an address alone, and has a link to another one, must not lock the row of its owner.
        let mayLock: SQL = """
             AND EXISTS (SELECT 1 FROM action_codes a JOIN tickets t ON t.ticket = a.ticket
                WHERE a.code = \(code) AND a.used_at IS NULL AND t.email = \(email) AND t.state IN ('open', 'approved'))
            """
        let condition = isolation == .readCommitted ? mayLock : ""
        return try first(
            "SELECT \(User.columns) FROM users u WHERE u.email = \(email)\(condition)\(rowLock(.owner))"
        ) { row in try User(row, at: 0) }
    }

    package func insert(_ user: User) throws {
        if let email = user.email { dropCheck(email) }
        if let rows = gatheredRows, !user.isAnonymous { return rows.users.append(user) }
        try enqueue(
            """
            INSERT INTO users (uid, email, email_verified_at, email_link_at, display_name, photo_url, initial_email,
                custom_attributes, anonymous_since, disabled_at, review_since, valid_since, created_at, last_login_at,
                last_refresh_at, screen_name, custom_auth_at, imported_at, unclaimed_since, taken_over_at, contested_at,
                contested_email, initial_unclaimed_since, cleanup_at)
            VALUES (\(user.uid), \(user.email), \(user.emailVerifiedAt), \(user.emailLinkAt), \(user.displayName),
                \(user.photoURL), \(user.initialEmail), \(user.customAttributes), \(user.anonymousSince),
                \(user.disabledAt), \(user.reviewSince), \(user.validSince), \(user.createdAt), \(user.lastLoginAt),
                \(user.lastRefreshAt), \(user.screenName), \(user.customAuthAt), \(user.importedAt),
                \(user.unclaimedSince), \(user.takenOverAt), \(user.contest?.since), \(user.contest?.oldEmail),
                \(user.initialUnclaimedSince), \(cleanupTime(of: user)))
            """
        )
    }

    package func update(_ user: User) throws {
        if let email = user.email { dropCheck(email) }
        try enqueue(
            """
            UPDATE users SET email = \(user.email), email_verified_at = \(user.emailVerifiedAt),
                email_link_at = \(user.emailLinkAt), display_name = \(user.displayName), photo_url = \(user.photoURL),
                initial_email = \(user.initialEmail), custom_attributes = \(user.customAttributes),
                anonymous_since = \(user.anonymousSince), disabled_at = \(user.disabledAt),
                review_since = \(user.reviewSince), valid_since = \(user.validSince), created_at = \(user.createdAt),
                last_login_at = \(user.lastLoginAt), last_refresh_at = \(user.lastRefreshAt),
                screen_name = \(user.screenName), custom_auth_at = \(user.customAuthAt),
                imported_at = \(user.importedAt), unclaimed_since = \(user.unclaimedSince),
                taken_over_at = \(user.takenOverAt), contested_at = \(user.contest?.since),
                contested_email = \(user.contest?.oldEmail), initial_unclaimed_since = \(user.initialUnclaimedSince),
                cleanup_at = CASE WHEN \(user.isAnonymous) = 1 THEN cleanup_at END
            WHERE uid = \(user.uid)
            """
        )
    }

    /// Returns the SQL value for the time at which a new user is due for clean-up, in milliseconds since 1970: `NULL`
    /// unless the user is a guest and clean-up is on.
    func cleanupTime(of user: User) -> SQL {
        guard user.isAnonymous else { return "NULL" }
        return "(SELECT \(now) + CAST(value AS BIGINT) FROM settings WHERE name = 'cleanup-guests-after')"
    }

    package func touchUser(_ uid: String) throws {
        try enqueue("UPDATE users SET last_refresh_at = \(now) WHERE uid = \(uid)")
    }

    package func lockUsers(_ uids: [String]) throws {
        try lockRows(of: "users", where: "uid", in: uids, .users)
    }

    package func renewUsers(_ uids: [String]) throws {
        try renewRows(of: "users", where: "uid", in: uids, .recordedUsers)
    }

    package func deleteUser(_ uid: String, mergedInto successor: String?) throws {
        try enqueue(
            """
            INSERT INTO former_users (uid, created_at, gone_at, merged_into, user_number)
            SELECT uid, created_at, CAST(\(now) AS BIGINT), CAST(\(successor) AS TEXT), id FROM users WHERE uid = \(uid)
            """
        )
        try enqueue("DELETE FROM users WHERE uid = \(uid)")
    }

    package func formerUser(_ uid: String) throws -> FormerUser? {
        try first("SELECT uid, created_at, gone_at, merged_into FROM former_users WHERE uid = \(uid)") { row in
            FormerUser(
                uid: try row.text(0),
                createdAt: try row.integer(1),
                goneAt: try row.integer(2),
                mergedInto: try row.optionalText(3)
            )
        }
    }

    package func forgetFormerUser(_ uid: String) throws {
        // The rows about the former user are found by the uid from now on, since its next user has another number.
        for table: SQL in ["audit_log", "mail_trace"] {
            try enqueue(
                """
                UPDATE \(table) SET user_number = NULL
                WHERE uid = \(uid) AND user_number = (SELECT user_number FROM former_users WHERE uid = \(uid))
                """
            )
        }
        try enqueue("DELETE FROM former_users WHERE uid = \(uid)")
    }

    /// Returns the SQL subquery for the number of a user's row (`users.id`), which grows with every new user, so that
    /// indexes of it have the rows of new users beside each other.
    static func number(of uid: String) -> SQL {
        "(SELECT id FROM users WHERE uid = \(uid))"
    }

    /// Returns the SQL condition that a row of the audit log or of the trace concerns a user, who may be gone or may never
    /// have existed.
    ///
    /// Most rows are found by the number of the user's row, and those without one by the UID.
    func concerns(_ uid: String) throws -> SQL {
        let former = try first("SELECT user_number FROM former_users WHERE uid = \(uid)") { row in
            try row.optionalInteger(0)
        }
        // After an upgrade, a node of an earlier version deleted the user, so that only reading the whole table finds the rows.
        if case .some(nil) = former { return "uid = \(uid)" }
        let number = former?.map { "\($0)" as SQL } ?? Self.number(of: uid)
        return "uid = \(uid) AND user_number IS NULL OR uid = \(uid) AND user_number = \(number)"
    }

    /// Returns the number of users.
    package func userCount() throws -> Int64 {
        try first("SELECT count(*) FROM users") { row in try row.integer(0) } ?? 0
    }

    /// Returns at most `limit` users whose UID is greater than `uid`, in ascending order of UIDs.
    package func users(after uid: String, limit: Int64) throws -> [User] {
        try all("SELECT \(User.columns) FROM users u WHERE u.uid > \(uid) ORDER BY u.uid LIMIT \(limit)") { row in
            try User(row, at: 0)
        }
    }
}

extension User {
    /// The columns that ``init(_:at:)`` reads, of a table aliased as `u`.
    static let columns: SQL = """
        u.uid, u.email, u.email_verified_at, u.email_link_at, u.display_name, u.photo_url, u.initial_email,
        u.custom_attributes, u.anonymous_since, u.disabled_at, u.review_since, u.valid_since, u.created_at,
        u.last_login_at, u.last_refresh_at, u.merge_id, u.screen_name, u.custom_auth_at, u.imported_at,
        u.unclaimed_since, u.taken_over_at, u.contested_at, u.contested_email,
        u.initial_unclaimed_since
        """

    /// Reads ``columns``, starting at column `start`.
    init(_ row: borrowing Row, at start: Int) throws {
        self.init(uid: try row.text(start), createdAt: try row.integer(start + 12))
        email = try row.optionalText(start + 1)
        emailVerifiedAt = try row.optionalInteger(start + 2)
        emailLinkAt = try row.optionalInteger(start + 3)
        displayName = try row.optionalText(start + 4)
        photoURL = try row.optionalText(start + 5)
        initialEmail = try row.optionalText(start + 6)
        customAttributes = try row.optionalText(start + 7)
        anonymousSince = try row.optionalInteger(start + 8)
        disabledAt = try row.optionalInteger(start + 9)
        reviewSince = try row.optionalInteger(start + 10)
        validSince = try row.integer(start + 11)
        lastLoginAt = try row.integer(start + 13)
        lastRefreshAt = try row.integer(start + 14)
        mergeID = try row.optionalText(start + 15)
        screenName = try row.optionalText(start + 16)
        customAuthAt = try row.optionalInteger(start + 17)
        importedAt = try row.optionalInteger(start + 18)
        unclaimedSince = try row.optionalInteger(start + 19)
        takenOverAt = try row.optionalInteger(start + 20)
        if let since = try row.optionalInteger(start + 21), let oldEmail = try row.optionalText(start + 22) {
            contest = Contest(since: since, oldEmail: oldEmail)
        }
        initialUnclaimedSince = try row.optionalInteger(start + 23)
    }
}
