package import Tokens

/// What an applied action code changed.
package struct AppliedAction: Sendable, Equatable {
    package let user: User
    package let identities: [Identity]
    package let purpose: ActionCode.Purpose
    /// The address that the user has now.
    package let email: String
    package let continueURL: String?
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
    ///   - notice: fresh identifiers for the notice that a change sends to the old address.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, OPERATION_NOT_ALLOWED (an administrator's account), EMAIL_EXISTS,
    ///   MERGE_IN_PROGRESS.
    package func applyActionCode(
        _ code: ActionCode,
        notice: MailIDs,
        in store: some AccountStore
    ) throws -> AppliedAction {
        let stored = try usableActionCode(code, in: store)
        guard let uid = stored.uid, var user = try store.user(uid) else { throw Refusal(.invalidOobCode) }
        if stored.forAdministratorAt == nil { try refuseIfAdministrator(uid, in: store) }
        try user.refuseIfHeld()
        try store.hold([uid])
        guard try store.useActionCode(stored.id) else { throw Refusal(.invalidOobCode) }
        switch stored.purpose {
        case .emailSignIn:
            throw Refusal(.invalidOobCode)
        case .verifyEmail:
            guard user.email == stored.email else { throw Refusal(.invalidOobCode) }
            user.emailVerifiedAt = store.now
            user.anonymousSince = nil
            try store.audit(.emailVerified, uid: uid, detail: nil)
        case .verifyAndChangeEmail:
            guard let newEmail = stored.newEmail, user.email == stored.email else { throw Refusal(.invalidOobCode) }
            // What a guest set as an address nobody ever proved, so it gets no way back.
            let hadOwnEmail = !user.isAnonymous && (user.emailVerifiedAt != nil || policy.noticesUnproven)
            try take(newEmail, for: &user, in: store)
            if hadOwnEmail {
                let locale = stored.locale
                try noticeChange(of: stored.email, to: newEmail, for: user, ids: notice, locale: locale, in: store)
            }
            try store.endSessions(of: uid, except: stored.askingSID, reason: .emailChanged)
            try store.audit(.emailChanged, uid: uid, detail: nil)
        case .recoverEmail:
            try take(stored.email, for: &user, in: store)
            user.validSince = store.now / 1000
            try store.endSessions(of: uid, except: nil, reason: .revoked)
            // Whoever changed the address may hold codes that would change it again, and ways back to addresses of theirs; and
            // may have linked a provider, to come back by it.
            try store.endActionCodes(of: uid)
            try store.deleteIdentities(of: uid, linkedSince: stored.createdAt)
            try store.audit(.emailRecovered, uid: uid, detail: nil)
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

    /// Sets a proven address, unless somebody else has it.
    private func take(_ email: String, for user: inout User, in store: some AccountStore) throws {
        if let owner = try store.user(email: email), owner.uid != user.uid { throw Refusal(.emailExists) }
        if user.email != email { try forgetClients(of: user, in: store) }
        user.email = email
        user.emailVerifiedAt = store.now
        user.anonymousSince = nil
    }

    /// Queues the notice that an address has been changed, with the way back, to the old address.
    ///
    /// An address gets as many notices as it gets mails; the first ones have told its owner everything by then. Notices have a
    /// counter of their own, so that mails that strangers ask for keep no notice back.
    func noticeChange(
        of oldEmail: String,
        to newEmail: String?,
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
            expiresAt: store.now + policy.recoverLinkLife
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
