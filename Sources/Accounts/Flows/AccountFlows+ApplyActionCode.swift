package import Tokens

/// The outcome of applying an action code.
package struct AppliedAction: Sendable, Equatable {
    package let user: User
    package let identities: [Identity]
    package let purpose: ActionCode.Purpose
    /// The user's address after the call, or the code's address if the user has none.
    package let email: String
    package let continueURL: String?

    /// Makes an outcome from its parts.
    package init(
        user: User,
        identities: [Identity],
        purpose: ActionCode.Purpose,
        email: String,
        continueURL: String?
    ) {
        self.user = user
        self.identities = identities
        self.purpose = purpose
        self.email = email
        self.continueURL = continueURL
    }

    /// Whether the code contested the account (``Contest``) instead of recovering its address.
    package var isContest: Bool { user.contest != nil }
}

/// Where an action code is applied.
package enum ActionCodeChannel: Sendable {
    /// By the button of the server's page, or in development by the emulator's `/emulator/action`.
    case page
    /// By `accounts:update`, with the ID token that the call presents, if any.
    case call(PresentedToken?)

    /// The ID token that was presented with the code; `nil` on the page, and for a call without one.
    var token: PresentedToken? {
        switch self {
        case .page: nil
        case .call(let token): token
        }
    }

    /// Whether a change of address also ends the session that asked for it.
    ///
    /// An app that applies a code may be the one that asked, so its session continues. The person at the page need not
    /// know the app.
    var endsAskingSession: Bool {
        switch self {
        case .page: true
        case .call: false
        }
    }
}

extension AccountFlows {
    /// Returns the stored part of an action code that is still usable, without using it (contract, 3.14,
    /// `resetPassword`).
    ///
    /// A code also ends with the session that asked for it, if the user or an administrator ended that session because it
    /// may be a thief's (``SessionEnd/endsRequests``).
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE if the code is unknown, was used or ended, or belongs to a ticket that is
    ///   spent or ended; EXPIRED_OOB_CODE if its own validity has passed.
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
        if let sid = stored.askingSID, let end = try store.sessionAndUser(sid)?.session.endReason, end.endsRequests {
            throw Refusal(.invalidOobCode)
        }
        return stored
    }

    /// Applies the code of an e-mail that verifies, changes or recovers an address, or contests the account (contract,
    /// 3.5).
    ///
    /// The code is only used up if the call succeeds. A code that signs in or reverts a change of sign-in methods is
    /// refused as invalid.
    ///
    /// - Parameters:
    ///   - code: the code, whose signature has been checked.
    ///   - channel: where the code is applied.
    ///   - notice: what the notice of a changed address needs.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, OPERATION_NOT_ALLOWED (an administrator's account),
    ///   EMAIL_EXISTS, USER_DISABLED (the account is contested), MERGE_IN_PROGRESS, TOO_MANY_ATTEMPTS_TRY_LATER, or
    ///   those of ``authenticate(_:in:)``.
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
            // The key vouches for the address, because a sign-in never takes over an administrator's account.
            isOwners = true
        }
        guard user.contest == nil else { throw Refusal(.userDisabled) }
        try user.refuseIfMergeSuspended()
        if stored.purpose == .recoverEmail {
            try lock(user, andOwnerOf: stored.email, in: store)
        } else {
            try store.lockUsers([uid])
        }
        guard try store.useActionCode(stored.id) else { throw Refusal(.invalidOobCode) }
        switch stored.purpose {
        case .emailSignIn, .revertMethodChange:
            throw Refusal(.invalidOobCode)
        case .verifyEmail:
            guard user.email == stored.email else { throw Refusal(.invalidOobCode) }
            confirm(stored.email, for: &user, isOwners: isOwners, at: store.now)
            try audit(.emailVerified, uid: uid, in: store)
        case .verifyAndChangeEmail:
            try change(&user, by: stored, isOwners: isOwners, notice: notice, in: store)
            try store.endSessions(
                of: uid,
                except: channel.endsAskingSession ? nil : stored.askingSID,
                reason: .emailChanged
            )
            try audit(.emailChanged, uid: uid, in: store)
        case .recoverEmail where isDisputed(stored, of: user):
            try contest(&user, by: stored, in: store)
        case .recoverEmail:
            try recover(&user, by: stored, in: store)
        }
        try recordChange(ofImported: uid, endsSessions: stored.purpose != .verifyEmail, in: store)
        try store.update(user)
        try trace(.applied, of: stored, by: TracedDevice(name: notice.device), in: store)
        return AppliedAction(
            user: user,
            identities: try store.identities(of: uid),
            purpose: stored.purpose,
            email: user.email ?? stored.email,
            continueURL: stored.continueURL
        )
    }

    /// Changes the user's address to the new one, which received the code, and queues a notice to the old address.
    ///
    /// A guest's address gets no notice. An unproven address gets one only under ``Policy/noticesUnproven``. The caller
    /// stores the user and ends the sessions.
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
            timeZone: stored.timeZone,
            in: store
        )
    }

    /// Makes an address the user's proven one, because the owner of its mailbox opened the link and confirmed it; the
    /// caller stores the user.
    ///
    /// Unless the caller has also proven access to the account, the owner of the mailbox may not be the user. An
    /// address that was not proven before is then marked until its owner signs in (``User/unclaimedSince``).
    private func confirm(_ email: String, for user: inout User, isOwners: Bool, at now: Int64) {
        let wasProven = user.email == email && user.emailVerifiedAt != nil
        user.email = email
        user.emailVerifiedAt = now
        user.anonymousSince = nil
        if !wasProven { user.unclaimedSince = isOwners ? nil : now }
    }

    /// Restores the address that a user had before a change; the caller stores the user.
    ///
    /// All sessions end, and so do e-mailed codes that an attacker may hold. Identities that were linked since the
    /// change are removed, and those that were removed since are restored. If the address was unclaimed before the
    /// change (``User/unclaimedSince``), all identities are removed instead, and none is restored.
    private func recover(_ user: inout User, by stored: StoredActionCode, in store: some AccountStore) throws {
        let uid = user.uid
        try free(stored.email, for: user, in: store)
        if user.email != stored.email { try forgetClients(of: user, in: store) }
        user.email = stored.email
        user.emailVerifiedAt = store.now
        user.anonymousSince = nil
        user.validSince = store.now / 1000
        try store.endSessions(of: uid, except: nil, reason: .revoked)
        // The attacker who changed the address may hold codes that would change it again and recovery codes of later
        // changes, and may have linked a provider. Recovery codes of earlier changes belong to earlier owners, whom a
        // later owner cannot lock out.
        if stored.unclaimedSince == nil {
            try store.endActionCodes(of: uid, exceptThoseBefore: stored.createdAt, andNoticesTo: stored.email)
            try store.deleteIdentities(of: uid, linkedSince: stored.createdAt)
            try restoreMethods(of: uid, removedSince: stored.createdAt, in: store)
        } else {
            // The owner of the address had not signed in before the change, so the providers may not be theirs. Earlier
            // recovery codes may be the attacker's or the owner's, so they contest the account from now on.
            try store.endActionCodes(of: uid, exceptThoseBefore: stored.createdAt, andNoticesTo: nil)
            try store.deleteIdentities(of: uid)
            user.unclaimedSince = nil
            try recordTakeover(of: &user, in: store)
        }
        try audit(.emailRecovered, uid: uid, in: store)
    }

    private func refuseIfTaken(_ email: String, by user: User, in store: some AccountStore) throws {
        if let owner = try store.user(email: email), owner.uid != user.uid { throw Refusal(.emailExists) }
    }
}
