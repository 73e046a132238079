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
    ///   - notice: fresh identifiers for the notice that a change sends to the old address.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, OPERATION_NOT_ALLOWED (an administrator's account), EMAIL_EXISTS,
    ///   USER_DISABLED (the account is contested), MERGE_IN_PROGRESS, or those of ``authenticate(_:in:)``.
    package func applyActionCode(
        _ code: ActionCode,
        by channel: ActionCodeChannel,
        notice: MailIDs,
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
        case .emailSignIn:
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
        notice: MailIDs,
        in store: some AccountStore
    ) throws {
        guard let newEmail = stored.newEmail, user.email == stored.email else { throw Refusal(.invalidOobCode) }
        // What a guest set as an address nobody ever proved, so it gets no way back.
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
            ids: notice,
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
        try refuseIfTaken(stored.email, by: user, in: store)
        if user.email != stored.email { try forgetClients(of: user, in: store) }
        user.email = stored.email
        user.emailVerifiedAt = store.now
        user.anonymousSince = nil
        user.validSince = store.now / 1000
        try store.endSessions(of: uid, except: nil, reason: .revoked)
        // The attacker who changed the address may hold codes that would change it again, and recovery codes for other addresses, and
        // may have linked a provider.
        try store.endActionCodes(of: uid)
        if stored.unclaimedSince == nil {
            try store.deleteIdentities(of: uid, linkedSince: stored.createdAt)
        } else {
            // The owner of the address had not signed in before the change, so none of the providers need be theirs.
            try store.deleteIdentities(of: uid)
            user.unclaimedSince = nil
        }
        try store.audit(.emailRecovered, uid: uid, detail: nil)
    }

    private func refuseIfTaken(_ email: String, by user: User, in store: some AccountStore) throws {
        if let owner = try store.user(email: email), owner.uid != user.uid { throw Refusal(.emailExists) }
    }

    /// Queues the notice that an address has been changed, with the way back, to the old address.
    ///
    /// An address gets as many notices as it gets mails; the first ones have told its owner everything by then. Notices have a
    /// counter of their own, so that mails that strangers ask for keep no notice back.
    ///
    /// - Parameters:
    ///   - oldEmail: the address before the change.
    ///   - newEmail: the address after it, if there is one.
    ///   - unclaimedSince: the mark that the old address had (``User/unclaimedSince``).
    ///   - user: the user whose address it was.
    ///   - ids: fresh identifiers.
    ///   - locale: the language of the mail.
    ///   - store: the transaction.
    func noticeChange(
        of oldEmail: String,
        to newEmail: String?,
        unclaimedSince: Int64?,
        for user: User,
        ids: MailIDs,
        locale: String,
        in store: some AccountStore
    ) throws {
        let limit = policy.mailsPerAddress
        guard try store.count("notices:\(mailboxHash(oldEmail))", in: limit.window).used <= limit.count else { return }
        let recover = StoredActionCode(
            id: ids.actionCode.text,
            purpose: .recoverEmail,
            uid: user.uid,
            email: oldEmail,
            newEmail: newEmail,
            locale: locale,
            createdAt: store.now,
            expiresAt: store.now + policy.recoverLinkLife,
            unclaimedSince: unclaimedSince
        )
        let code = try add(recover, code: ids.actionCode, in: store)
        try queue(
            QueuedMail(
                id: ids.mail.text,
                kind: .emailChanged,
                to: oldEmail,
                locale: recover.locale,
                actionCode: code,
                linkExpiresAt: recover.expiresAt,
                newEmail: newEmail,
                queuedAt: store.now
            ),
            MailRank(.notice, at: store.now),
            in: store
        )
    }
}
