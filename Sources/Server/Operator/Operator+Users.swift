internal import AccountDatabase
internal import Accounts
internal import Database

/// The users.
extension Operator {
    /// Returns users in the order of their UIDs, without their identity providers.
    ///
    /// - Parameters:
    ///   - uid: the UID after which to begin; `nil` for the first users.
    ///   - limit: the maximum number of users.
    /// - Returns: a page, whose token is the UID after which the next page begins.
    package func users(after uid: String?, limit: Int) throws -> ReportPage<UserReport> {
        let users = try store.database.readNow { transaction in
            let administrators = try transaction.administrators()
            return try transaction.users(after: uid ?? "", limit: Int64(limit)).map { user in
                UserReport(user, username: nil, identities: [], isAdministrator: administrators.contains(user.uid))
            }
        }
        return ReportPage(items: users, nextPage: users.count == limit ? users.last?.uid : nil)
    }

    /// Returns one user with their identity providers and live sessions.
    ///
    /// - Throws: ``Failure/noSuchUser(_:)``.
    package func user(_ uid: String) throws -> UserReport {
        try store.database.readNow { [flows] transaction in
            guard let user = try transaction.user(uid) else { throw Failure.noSuchUser(uid) }
            var report = UserReport(
                user,
                username: try transaction.username(of: uid),
                identities: try transaction.identities(of: uid),
                isAdministrator: try transaction.administrators().contains(uid)
            )
            report.sessions = try flows.sessions(ofUser: uid, in: transaction)?.sessions.map(SessionReport.init)
            return report
        }
    }

    /// Returns the UID of the user with this UID, e-mail address or username.
    ///
    /// A UID comes first, so that no username can stand for another user's UID.
    ///
    /// - Throws: ``Failure/noSuchUser(_:)``.
    package func uid(of name: String) throws -> String {
        try store.database.readNow { transaction in
            if let user = try transaction.user(name) { return user.uid }
            if let address = try? EmailAddress(parsing: name) {
                guard let user = try transaction.user(email: address.canonical) else { throw Failure.noSuchUser(name) }
                return user.uid
            }
            guard let holder = try Username(name).flatMap({ try transaction.holder(of: $0) }) else {
                throw Failure.noSuchUser(name)
            }
            return holder.uid
        }
    }

    /// Disables a user and ends their sessions, or enables the user again.
    ///
    /// Enabling also ends a contest about the account (``resolve(_:keepsOldAddress:)``): the present address keeps the
    /// account.
    ///
    /// - Parameters:
    ///   - isDisabled: whether the user is disabled afterwards.
    ///   - name: the user, as ``uid(of:)`` finds one.
    /// - Returns: the user's UID.
    /// - Throws: ``Failure/noSuchUser(_:)``.
    @discardableResult
    package func setDisabled(_ isDisabled: Bool, _ name: String) throws -> String {
        let uid = try uid(of: name)
        try store.database.writeNow { [flows] transaction in
            guard try flows.setDisabled(isDisabled, uid, in: transaction) else { throw Failure.noSuchUser(uid) }
        }
        return uid
    }

    /// Decides which address keeps a contested account: one whose address was changed, to which the owner of the old
    /// address objected.
    ///
    /// If the old address keeps the account, all its identities at providers, sessions and e-mailed codes end.
    ///
    /// - Parameters:
    ///   - uid: the account's UID.
    ///   - keepsOldAddress: whether the old address keeps the account, instead of the present one.
    /// - Returns: the account's address after the decision.
    /// - Throws: ``Failure/noSuchUser(_:)``; ``Failure/unresolved(_:reason:)``.
    package func resolve(_ uid: String, keepsOldAddress: Bool) throws -> String? {
        do {
            return try store.database.writeNow { [flows] transaction in
                guard let user = try flows.resolve(uid, keeping: keepsOldAddress ? .old : .new, in: transaction) else {
                    throw Failure.noSuchUser(uid)
                }
                return user.email
            }
        } catch let refusal as Refusal {
            throw Failure.unresolved(uid, reason: refusal.detail ?? refusal.code.rawValue)
        }
    }
}
