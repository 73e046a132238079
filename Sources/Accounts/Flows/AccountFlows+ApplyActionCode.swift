package import Tokens

/// What an applied action code changed.
package struct AppliedAction: Sendable, Equatable {
    package let user: User
    package let identities: [Identity]
    package let purpose: ActionCode.Purpose
    /// The address that the user has now.
    package let email: String
    package let continueURL: String?

    /// Whether the code did not hand the account back, but contested it.
    package var isContest: Bool { user.contest != nil }
}

/// Where an action code is applied.
package enum ActionCodeChannel: Sendable {
    /// By the button of the server's page.
    case page
    /// By `accounts:update`, with the ID token that the call presents, if any.
    case call(PresentedToken?)

    /// The ID token that is presented beside the code.
    var token: PresentedToken? {
        switch self {
        case .page: nil
        case .call(let token): token
        }
    }

    /// Whether a change of address ends the session that asked for it as well.
    ///
    /// The app that applies a code may be the one that asked, and goes on. The person at the page need not know the app.
    var endsAskingSession: Bool {
        switch self {
        case .page: true
        case .call: false
        }
    }
}

extension AccountFlows {
    /// Finds an action code that may still be used, without using it (contract, 3.14, `resetPassword`).
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE or EXPIRED_OOB_CODE.
    package func usableActionCode(_ code: ActionCode, in store: some AccountStore) throws -> StoredActionCode {
        guard let stored = try store.actionCode(code.id.text), stored.purpose == code.purpose,
            stored.usedAt == nil
        else { throw Refusal(.invalidOobCode) }
        if let ticket = stored.ticket {
            guard let state = try store.ticket(ticket)?.state, state == .open || state == .approved else {
                throw Refusal(.invalidOobCode)
            }
        }
        guard store.now < code.expiry * 1000 else { throw Refusal(.expiredOobCode) }
        return stored
    }

    /// Applies the code of a mail that verifies, changes or recovers an address (contract, 3.5).
    ///
    /// Nothing is spent unless the call succeeds.
    ///
    /// - Parameters:
    ///   - code: the code, whose signature has been checked.
    ///   - channel: where the code is applied.
    ///   - notice: what the notice of a changed address needs.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, OPERATION_NOT_ALLOWED (an administrator's account), EMAIL_EXISTS,
    ///   USER_DISABLED (the account is contested), MERGE_IN_PROGRESS, TOO_MANY_ATTEMPTS_TRY_LATER, or those of
    ///   ``authenticate(_:in:)``.
    package func applyActionCode(
        _ code: ActionCode,
        by channel: ActionCodeChannel,
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws -> AppliedAction {
        let stored = try usableActionCode(code, in: store)
        guard let uid = stored.uid, var user = try store.user(uid) else { throw Refusal(.invalidOobCode) }
        var isOwners = try channel.token.map { try authenticate($0, in: store).user.uid == uid } ?? false
        if stored.forAdministratorAt == nil {
            try refuseIfAdministrator(uid, in: store)
        } else {
            // The key vouches for the address: no sign-in takes an administrator's account over.
            isOwners = true
        }
        guard user.contest == nil else { throw Refusal(.userDisabled) }
        try user.refuseIfHeld()
        try store.hold([uid])
        guard try store.useActionCode(stored.id) else { throw Refusal(.invalidOobCode) }
        switch stored.purpose {
        case .emailSignIn, .revertMethodChange:
            throw Refusal(.invalidOobCode)
        case .verifyEmail:
            guard user.email == stored.email else { throw Refusal(.invalidOobCode) }
            confirm(stored.email, for: &user, isOwners: isOwners, at: store.now)
            try store.audit(.emailVerified, uid: uid, detail: nil)
        case .verifyAndChangeEmail:
            try change(&user, by: stored, isOwners: isOwners, notice: notice, in: store)
            try store.endSessions(
                of: uid,
                except: channel.endsAskingSession ? nil : stored.askingSID,
                reason: .emailChanged
            )
            try store.audit(.emailChanged, uid: uid, detail: nil)
        case .recoverEmail where isDisputed(stored, of: user):
            try contest(&user, by: stored, in: store)
        case .recoverEmail:
            try recover(&user, by: stored, in: store)
        }
        try store.update(user)
        return AppliedAction(
            user: user,
            identities: try store.identities(of: uid),
            purpose: stored.purpose,
            email: user.email ?? stored.email,
            continueURL: stored.continueURL
        )
    }

    /// Gives a user the address that the code's mail went to, and tells the old one.
    private func change(
        _ user: inout User,
        by stored: StoredActionCode,
        isOwners: Bool,
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws {
        guard let newEmail = stored.newEmail, user.email == stored.email else { throw Refusal(.invalidOobCode) }
        // A guest's own address was never proven, so it gets no recovery code.
        let hadOwnEmail = !user.isAnonymous && (user.emailVerifiedAt != nil || policy.noticesUnproven)
        let unclaimedSince = user.unclaimedSince
        try refuseIfTaken(newEmail, by: user, in: store)
        if user.email != newEmail { try forgetClients(of: user, in: store) }
        confirm(newEmail, for: &user, isOwners: isOwners, at: store.now)
        guard hadOwnEmail else { return }
        try noticeChange(
            of: stored.email,
            to: newEmail,
            unclaimedSince: unclaimedSince,
            for: user,
            // Only an administrator makes such a code without a session of the user.
            cause: stored.askingSID == nil ? .administrator : .user,
            notice: notice,
            locale: stored.locale,
            in: store
        )
    }

    /// Records that the mailbox of an address has been opened and its owner has pressed the button.
    ///
    /// Unless the caller has shown to be in the account too, the owner of the mailbox need not be the user, so that the address is
    /// marked until its owner signs in.
    private func confirm(_ email: String, for user: inout User, isOwners: Bool, at now: Int64) {
        let wasProven = user.email == email && user.emailVerifiedAt != nil
        user.email = email
        user.emailVerifiedAt = now
        user.anonymousSince = nil
        if !wasProven { user.unclaimedSince = isOwners ? nil : now }
    }

    /// Gives a user the address of before a change again.
    private func recover(_ user: inout User, by stored: StoredActionCode, in store: some AccountStore) throws {
        let uid = user.uid
        try free(stored.email, for: user, in: store)
        if user.email != stored.email { try forgetClients(of: user, in: store) }
        user.email = stored.email
        user.emailVerifiedAt = store.now
        user.anonymousSince = nil
        user.validSince = store.now / 1000
        try store.endSessions(of: uid, except: nil, reason: .revoked)
        // The attacker who changed the address may hold codes that would change it again, and recovery codes of later changes, and may
        // have linked a provider. Recovery codes of earlier changes belong to earlier owners, whom a later one cannot shut out.
        if stored.unclaimedSince == nil {
            try store.endActionCodes(of: uid, exceptThoseBefore: stored.createdAt, andNoticesTo: stored.email)
            try store.deleteIdentities(of: uid, linkedSince: stored.createdAt)
            try restoreMethods(of: uid, removedSince: stored.createdAt, in: store)
        } else {
            // The owner of the address had not signed in before the change, so none of the providers need be theirs.
            // Earlier recovery codes may be the attacker's or the owner's, so they contest the account from now on.
            try store.endActionCodes(of: uid, exceptThoseBefore: stored.createdAt, andNoticesTo: nil)
            try store.deleteIdentities(of: uid)
            user.unclaimedSince = nil
            user.takenOverAt = store.now
        }
        try store.audit(.emailRecovered, uid: uid, detail: nil)
    }

    private func refuseIfTaken(_ email: String, by user: User, in store: some AccountStore) throws {
        if let owner = try store.user(email: email), owner.uid != user.uid { throw Refusal(.emailExists) }
    }
}
