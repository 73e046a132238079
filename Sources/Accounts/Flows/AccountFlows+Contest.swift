internal import Tokens

extension AccountFlows {
    /// Whether a recovery code contests its account instead of recovering it, because the owner of a later address has
    /// taken the account over since the code was made (``User/takenOverAt``).
    func isDisputed(_ recovery: StoredActionCode, of user: User) -> Bool {
        guard recovery.purpose == .recoverEmail, let takenOverAt = user.takenOverAt else { return false }
        return recovery.createdAt <= takenOverAt
    }

    /// Marks an account as contested, which disables it, because the owner of its old address objects to a takeover;
    /// ends all its sessions.
    ///
    /// The caller stores the user.
    ///
    /// Either address may be the attacker's: the old one if the attacker planted the account, the new one if the
    /// attacker stole it. The server cannot know which, so it gives the account to neither, and an operator decides.
    func contest(_ user: inout User, by recovery: StoredActionCode, in store: some AccountStore) throws {
        user.contest = Contest(since: store.now, oldEmail: recovery.email)
        try store.endSessions(of: user.uid, except: nil, reason: .revoked)
        try recordChange(ofImported: user.uid, endsSessions: true, in: store)
        try audit(.userContested, uid: user.uid, in: store)
        try announce(.userContested, user.uid, isAnonymous: false, in: store)
    }

    /// Lets a disabled or contested user sign in again; the caller stores the user.
    ///
    /// A contested account keeps its current address, and its e-mailed codes that were made until the takeover end.
    package func enable(_ user: inout User, in store: some AccountStore) throws {
        user.disabledAt = nil
        guard user.contest != nil else { return }
        user.contest = nil
        if let takenOverAt = user.takenOverAt { try store.endActionCodes(of: user.uid, madeBy: takenOverAt) }
        try audit(.userResolved, uid: user.uid, detail: KeptAddress.new.rawValue, in: store)
    }

    /// Ends the contest about an account.
    ///
    /// If the old address keeps the account, all identities, sessions and e-mailed codes of the account end. An account
    /// that an administrator has disabled stays disabled.
    ///
    /// - Parameters:
    ///   - uid: the account's UID.
    ///   - kept: the address that keeps the account.
    ///   - store: the transaction.
    /// - Returns: the user after the change; `nil` if there is no such user.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED if the account is not contested, EMAIL_EXISTS if another user has
    ///   signed in with the old address by now, and the refusals of ``free(_:for:in:)``. Nothing has been changed then.
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
            try lock(user, andOwnerOf: contest.oldEmail, in: store)
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
            try audit(.userResolved, uid: uid, detail: kept.rawValue, in: store)
        }
        try store.update(user)
        return user
    }
}
