package import Accounts
package import Database
internal import Tokens

extension Transaction {
    package func actionCode(_ id: String) throws -> StoredActionCode? {
        try first("SELECT \(StoredActionCode.columns) FROM action_codes a WHERE a.code = \(id)") { row in
            try StoredActionCode(row)
        }
    }

    package func insert(_ code: StoredActionCode) throws {
        try enqueue(
            """
            INSERT INTO action_codes (code, purpose, ticket, uid, asking_sid, email, new_email, locale, continue_url,
                created_at, expires_at, device, asking_client, unclaimed_since, for_administrator_at, time_zone, mail)
            VALUES (\(code.id), \(code.purpose.requestType), \(code.ticket), \(code.uid), \(code.askingSID), \(code.email),
                \(code.newEmail), \(code.locale), \(code.continueURL), \(code.createdAt), \(code.expiresAt),
                \(code.device), \(code.askingClient), \(code.unclaimedSince), \(code.forAdministratorAt),
                \(code.timeZone), \(code.mail))
            """
        )
    }

    package func useActionCode(_ id: String) throws -> Bool {
        try execute("UPDATE action_codes SET used_at = \(now) WHERE code = \(id) AND used_at IS NULL") == 1
    }

    package func takeoverTime(of uid: String) throws -> Int64 {
        guard !omits(Self.laterTakeover) else { return now }
        let newestCode = try first(
            """
            SELECT max(created_at) FROM action_codes
            WHERE uid = \(uid) AND purpose = \(ActionPurpose.recoverEmail.requestType)
            """
        ) { row in try row.optionalInteger(0) }
        return max(now, (newestCode ?? nil) ?? 0)
    }

    package func endActionCodes(of uid: String) throws {
        try enqueue("UPDATE action_codes SET used_at = \(now) WHERE uid = \(uid) AND used_at IS NULL")
    }

    package func endActionCodes(of uid: String, for purposes: [ActionPurpose]) throws {
        try enqueue(
            """
            UPDATE action_codes SET used_at = \(now)
            WHERE uid = \(uid) AND used_at IS NULL AND purpose IN \(in: purposes.map(\.requestType))
            """
        )
    }

    package func endActionCodes(of uid: String, sparing purpose: ActionPurpose) throws {
        try enqueue(
            """
            UPDATE action_codes SET used_at = \(now)
            WHERE uid = \(uid) AND used_at IS NULL AND purpose <> \(purpose.requestType)
            """
        )
    }

    package func endActionCodes(of uid: String, madeBy time: Int64) throws {
        try enqueue(
            """
            UPDATE action_codes SET used_at = \(now)
            WHERE uid = \(uid) AND used_at IS NULL AND created_at <= \(time)
            """
        )
    }

    package func endActionCodes(of uid: String, exceptThoseBefore time: Int64, andNoticesTo email: String?) throws {
        let recovery = ActionPurpose.recoverEmail.requestType, notice = ActionPurpose.revertMethodChange.requestType
        var spared: SQL = "purpose = \(recovery) AND created_at < \(time)"
        if let email { spared += " OR purpose = \(notice) AND (email = \(email) OR created_at < \(time))" }
        try enqueue(
            "UPDATE action_codes SET used_at = \(now) WHERE uid = \(uid) AND used_at IS NULL AND NOT (\(spared))"
        )
    }
}

extension StoredActionCode {
    /// The columns that ``init(_:)`` reads, of a table aliased as `a`.
    static let columns: SQL = """
        a.code, a.purpose, a.ticket, a.uid, a.asking_sid, a.email, a.new_email, a.locale, a.continue_url, a.created_at,
        a.expires_at, a.used_at, a.device, a.asking_client, a.unclaimed_since, a.for_administrator_at,
        a.time_zone, a.mail
        """

    init(_ row: borrowing Row) throws {
        self.init(
            id: try row.text(0),
            purpose: try row.purpose(1),
            ticket: try row.optionalText(2),
            uid: try row.optionalText(3),
            askingSID: try row.optionalText(4),
            email: try row.text(5),
            newEmail: try row.optionalText(6),
            locale: try row.text(7),
            timeZone: try row.optionalText(16),
            continueURL: try row.optionalText(8),
            createdAt: try row.integer(9),
            expiresAt: try row.integer(10),
            device: try row.optionalText(12),
            askingClient: try row.optionalText(13),
            unclaimedSince: try row.optionalInteger(14),
            mail: try row.optionalText(17)
        )
        usedAt = try row.optionalInteger(11)
        forAdministratorAt = try row.optionalInteger(15)
    }
}

extension Row {
    fileprivate borrowing func purpose(_ index: Int) throws -> ActionPurpose {
        guard let purpose = ActionPurpose(requestType: try text(index)) else {
            throw DatabaseError(.corrupt, message: "column \(index) holds no purpose")
        }
        return purpose
    }
}
