internal import Tokens

extension AccountFlows {
    /// Whether a recovery code no longer hands its account over: the owner of a later address has taken the account over since.
    func isDisputed(_ recovery: StoredActionCode, of user: User) -> Bool {
        guard recovery.purpose == .recoverEmail, let takenOverAt = user.takenOverAt else { return false }
        return recovery.createdAt <= takenOverAt
    }

    /// Disables an account because the owner of its old address objects to a takeover.
    ///
    /// Either address may be the attacker's: the old one of an attacker who planted the account, the new one of an attacker who stole
    /// it. The server cannot know, so it hands the account to neither, and an operator decides.
    func contest(_ user: inout User, by recovery: StoredActionCode, in store: some AccountStore) throws {
        user.contest = Contest(since: store.now, oldEmail: recovery.email)
        try store.endSessions(of: user.uid, except: nil, reason: .revoked)
        try store.audit(.userContested, uid: user.uid, detail: nil)
        try announce(.userContested, user.uid, isAnonymous: false, in: store)
    }

    /// Lets a user sign in again.
    ///
    /// A contested account stays with its present address, and the recovery codes of before the takeover end.
    package func enable(_ user: inout User, in store: some AccountStore) throws {
        user.disabledAt = nil
        guard user.contest != nil else { return }
        user.contest = nil
        if let takenOverAt = user.takenOverAt { try store.endActionCodes(of: user.uid, madeBy: takenOverAt) }
        try store.audit(.userResolved, uid: user.uid, detail: KeptAddress.new.rawValue)
    }

    /// Ends the contest about an account.
    ///
    /// Where the old address keeps the account, everything ends that opened it since: the providers, the sessions and the mailed codes.
    /// An account that an administrator has disabled stays disabled.
    ///
    /// - Parameters:
    ///   - uid: the account's UID.
    ///   - kept: the address that keeps the account.
    ///   - store: the transaction.
    /// - Returns: the account with its address; `nil` where there is no such user.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED where the account is not contested, EMAIL_EXISTS where another user has
    ///   proven the old address by now. Nothing has been changed then.
    package func resolve(_ uid: String, keeping kept: KeptAddress, in store: some AccountStore) throws -> User? {
        guard var user = try store.user(uid) else { return nil }
        guard let contest = user.contest else {
            throw Refusal(.operationNotAllowed, detail: "The account is not contested.")
        }
        switch kept {
        case .new:
            let disabledAt = user.disabledAt
            try enable(&user, in: store)
            user.disabledAt = disabledAt
        case .old:
            if let owner = try owner(of: contest.oldEmail, besides: user, in: store) {
                let detail = "User \(owner.uid) has the old address. Delete that user or change its address first."
                throw Refusal(.emailExists, detail: detail)
            }
            try free(contest.oldEmail, for: user, in: store)
            try endSessionsAndMails(of: &user, because: .revoked, in: store)
            try store.deleteIdentities(of: uid)
            if user.email != contest.oldEmail { try forgetClients(of: user, in: store) }
            user.email = contest.oldEmail
            user.emailVerifiedAt = store.now
            user.validSince = store.now / 1000
            user.contest = nil
            try store.audit(.userResolved, uid: uid, detail: kept.rawValue)
        }
        try store.update(user)
        return user
    }
}
