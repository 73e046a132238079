/// A change that clients may make to their own user, decoded (contract, 3.5); parts that are `nil` stay as they are.
package struct ProfileUpdate: Sendable {
    package var displayName: String?
    package var photoURL: String?
    package var email: EmailAddress?
    package var deletesDisplayName = false
    package var deletesPhotoURL = false
    package var deletesEmail = false
    /// Providers to unlink; `password` is the address itself.
    package var deletedProviders: [String] = []
    /// Whether to revoke all tokens issued so far.
    package var revokesTokens = false
    /// The language of notices that the change causes.
    package var locale = ""
    /// The time zone of such notices, by its name in IANA's database; UTC for `nil`.
    package var timeZone: String?
    /// The refusal of another part of the call, thrown once the caller is authenticated; `nil` if none is refused.
    package var refusal: Refusal?

    /// Makes a change of nothing.
    package init() {}

    /// Whether the update gives the user another address, or asks to remove the address or a provider.
    func changesSignInMethods(of user: User) -> Bool {
        if let email, email.canonical != user.email { return true }
        return deletesEmail || !deletedProviders.isEmpty
    }
}

extension ProfileUpdate {
    /// The names of the changed parts for the audit log, without providers, which have entries of their own.
    func parts(changesEmail: Bool) -> [String] {
        let changesProfile = displayName != nil || photoURL != nil || deletesDisplayName || deletesPhotoURL
        let removesEmail = deletesEmail || deletedProviders.contains(SignInProvider.emailLink.rawValue)
        return [
            ("email", changesEmail || removesEmail), ("profile", changesProfile), ("revoked", revokesTokens),
        ].filter(\.1).map(\.0)
    }
}

/// A user after a change to the profile, with a new session if the user's own call ended the earlier ones; otherwise
/// the session is `nil`.
package struct UpdatedProfile: Sendable, Equatable {
    package let user: User
    package let identities: [Identity]
    package let session: Session?
}

extension AccountFlows {
    /// Changes the profile of an ID token's user.
    ///
    /// A changed address or a revocation ends every session and returns a new one.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED for a change to an administrator's sign-in methods and for another
    ///   address while e-mail privacy is on, CREDENTIAL_TOO_OLD_LOGIN_AGAIN, EMAIL_EXISTS, MERGE_IN_PROGRESS,
    ///   TOO_MANY_ATTEMPTS_TRY_LATER, the update's own ``ProfileUpdate/refusal``, or those of ``authenticate(_:in:)``.
    package func updateProfile(
        _ update: ProfileUpdate,
        of token: PresentedToken,
        opening: SessionOpening,
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws -> UpdatedProfile {
        var (user, session) = try authenticate(token, in: store)
        if let refusal = update.refusal { throw refusal }
        if update.changesSignInMethods(of: user) {
            try refuseIfAdministrator(user.uid, in: store)
            try requireRecentSignIn((user, session), in: store)
        }
        try user.refuseIfMergeSuspended()
        if let email = update.email, email.canonical != user.email, try projectConfig(in: store).emailPrivacy {
            throw Refusal(
                .operationNotAllowed,
                detail: "While emailPrivacy is on, request VERIFY_AND_CHANGE_EMAIL (verifyBeforeUpdateEmail)."
            )
        }
        let before = user
        let provenEmail = user.emailVerifiedAt == nil ? nil : user.email, unclaimedSince = user.unclaimedSince
        let removed = try identities(of: user, removedBy: update, in: store)
        // A session that began anonymously changes an unproven address that it set itself.
        let isGuests = session.provider == .anonymous && user.emailVerifiedAt == nil
        let changesEmail = try apply(update, to: &user, remembersOldEmail: !isGuests, in: store)
        let revokes = changesEmail || update.revokesTokens
        if revokes { user.validSince = store.now / 1000 }
        try store.update(user)
        if changesEmail {
            if !isGuests {
                try noticeUnproven(of: user, update, removed: removed, cause: .user, notice: notice, in: store)
            }
        } else if let provenEmail, user.email == nil {
            // Otherwise an attacker with a stolen session could give the account another address without a notice to
            // its owner.
            try noticeChange(
                of: provenEmail,
                to: nil,
                unclaimedSince: unclaimedSince,
                for: user,
                removed: removed,
                cause: .user,
                notice: notice,
                locale: update.locale,
                timeZone: update.timeZone,
                in: store
            )
        } else {
            try noticeMethods(of: before, removed: removed, notice: notice, in: store)
        }
        try recordChange(ofImported: user.uid, endsSessions: revokes, in: store)
        let parts = update.parts(changesEmail: changesEmail)
        if !parts.isEmpty {
            try auditRepeatable(.userChanged, uid: user.uid, detail: parts.joined(separator: " "), in: store)
        }
        return UpdatedProfile(
            user: user,
            identities: try store.identities(of: user.uid),
            session: revokes ? try renew(session, opening: opening, in: store) : nil
        )
    }

    /// Applies a profile update to a user, whom the caller stores; deletes identities at once.
    ///
    /// - Parameters:
    ///   - update: the change.
    ///   - user: the user to change.
    ///   - remembersOldEmail: whether the replaced address may become ``User/initialEmail``.
    ///   - store: the transaction.
    /// - Returns: whether the user was given another address.
    /// - Throws: ``Refusal`` EMAIL_EXISTS.
    func apply(
        _ update: ProfileUpdate,
        to user: inout User,
        remembersOldEmail: Bool,
        in store: some AccountStore
    ) throws -> Bool {
        let changesEmail = try setUnproven(update.email, of: &user, remembersOld: remembersOldEmail, in: store)
        if let displayName = update.displayName { user.displayName = displayName }
        if let photoURL = update.photoURL { user.photoURL = photoURL }
        if update.deletesDisplayName { user.displayName = nil }
        if update.deletesPhotoURL { user.photoURL = nil }
        if update.deletesEmail || update.deletedProviders.contains(SignInProvider.emailLink.rawValue) {
            try forgetClients(of: user, in: store)
            user.email = nil
            user.emailVerifiedAt = nil
            user.emailLinkAt = nil
        }
        for provider in update.deletedProviders {
            try store.deleteIdentity(of: user.uid, provider: provider)
            try audit(.providerUnlinked, uid: user.uid, detail: provider, in: store)
        }
        return changesEmail
    }

    /// The identities of a user that an update removes.
    private func identities(
        of user: User,
        removedBy update: ProfileUpdate,
        in store: some AccountStore
    ) throws -> [LinkedIdentity] {
        guard !update.deletedProviders.isEmpty else { return [] }
        return try store.linkedIdentities(of: user.uid).filter {
            update.deletedProviders.contains($0.identity.provider)
        }
    }

    /// Sets an address that the user has not proven; does nothing for `nil` or the current address.
    ///
    /// - Returns: whether the user's address changed.
    /// - Throws: ``Refusal`` EMAIL_EXISTS.
    private func setUnproven(
        _ email: EmailAddress?,
        of user: inout User,
        remembersOld: Bool,
        in store: some AccountStore
    ) throws -> Bool {
        guard let email, email.canonical != user.email else { return false }
        if try store.user(email: email.canonical) != nil { throw Refusal(.emailExists) }
        let isNotified = user.emailVerifiedAt != nil || policy.noticesUnproven
        // A proven address replaces an earlier one, whose mailbox may belong to another person by now.
        if remembersOld, isNotified, user.initialEmail == nil || user.emailVerifiedAt != nil {
            user.initialEmail = user.email
            user.initialUnclaimedSince = user.unclaimedSince
        }
        try forgetClients(of: user, in: store)
        user.email = email.canonical
        user.emailVerifiedAt = nil
        return true
    }

    /// Queues the notice with a recovery link to ``User/initialEmail`` of a user whose address has been changed without
    /// an e-mail; does nothing if there is none.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER, unless an administrator makes the change.
    func noticeUnproven(
        of user: User,
        _ update: ProfileUpdate,
        removed: [LinkedIdentity] = [],
        cause: NoticeCause,
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws {
        guard let initialEmail = user.initialEmail else { return }
        try noticeChange(
            of: initialEmail,
            to: user.email,
            unclaimedSince: user.initialUnclaimedSince,
            for: user,
            removed: removed,
            cause: cause,
            notice: notice,
            locale: update.locale,
            timeZone: update.timeZone,
            in: store
        )
    }

    /// Ends all sessions of a user and begins one in place of the caller's, which keeps the method and the time of the
    /// sign-in.
    private func renew(
        _ session: Session,
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> Session {
        try store.endSessions(of: session.uid, except: nil, reason: .revoked)
        var renewed = Session(opening, uid: session.uid, provider: session.provider, at: store.now)
        renewed.authTime = session.authTime
        // A session of another issuer's is never one of a recent sign-in, so its successor is not either.
        renewed.exchangedAt = session.exchangedAt
        try store.insert(renewed)
        return renewed
    }
}
