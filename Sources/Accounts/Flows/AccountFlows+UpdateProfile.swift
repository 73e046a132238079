/// A change to a user that clients may make to their own, decoded (contract, 3.5).
package struct ProfileUpdate: Sendable {
    package var displayName: String?
    package var photoURL: String?
    package var email: EmailAddress?
    package var deletesDisplayName = false
    package var deletesPhotoURL = false
    package var deletesEmail = false
    /// Providers to unlink; `password` is the address itself.
    package var deletedProviders: [String] = []
    /// Whether all tokens issued so far shall die.
    package var revokesTokens = false
    /// The language for mails that the change causes.
    package var locale = ""
    /// What else the call asks for and does not get; said once it is known who calls.
    package var refusal: Refusal?

    /// A change of nothing.
    package init() {}

    /// Whether the update gives the user another address, or takes an address or a provider away.
    func changesSignInMethods(of user: User) -> Bool {
        if let email, email.canonical != user.email { return true }
        return deletesEmail || !deletedProviders.isEmpty
    }
}

/// A user after a change, with a session where the change ended the older ones.
package struct UpdatedProfile: Sendable, Equatable {
    package let user: User
    package let identities: [Identity]
    package let session: Session?
}

extension AccountFlows {
    /// Changes the profile of an ID token's user.
    ///
    /// A changed address or a revocation ends every session and answers a fresh one.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED for an administrator and for an unproven address while e-mail privacy is on,
    ///   CREDENTIAL_TOO_OLD_LOGIN_AGAIN, EMAIL_EXISTS, TOO_MANY_ATTEMPTS_TRY_LATER, that of the update itself, or those of
    ///   ``authenticate(_:in:)``.
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
        try user.refuseIfHeld()
        if let email = update.email, email.canonical != user.email, try projectConfig(in: store).emailPrivacy {
            throw Refusal(.operationNotAllowed)
        }
        let before = user
        let provenEmail = user.emailVerifiedAt == nil ? nil : user.email, unclaimedSince = user.unclaimedSince
        let removed = try identities(of: user, removedBy: update, in: store)
        // A session that began anonymously changes an address that it set itself, which nobody proved.
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
            // Otherwise whoever has a stolen session could give the account another address without a word to its owner.
            try noticeChange(
                of: provenEmail,
                to: nil,
                unclaimedSince: unclaimedSince,
                for: user,
                removed: removed,
                cause: .user,
                notice: notice,
                locale: update.locale,
                in: store
            )
        } else {
            try noticeMethods(of: before, removed: removed, notice: notice, in: store)
        }
        return UpdatedProfile(
            user: user,
            identities: try store.identities(of: user.uid),
            session: revokes ? try renew(session, opening: opening, in: store) : nil
        )
    }

    /// Does what a profile update says, whoever asks for it; the caller stores the user.
    ///
    /// - Returns: whether the user was given another address.
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
            try store.audit(.providerUnlinked, uid: user.uid, detail: provider)
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

    /// Sets an address that nobody has proven.
    ///
    /// - Returns: whether the user's address changed.
    private func setUnproven(
        _ email: EmailAddress?,
        of user: inout User,
        remembersOld: Bool,
        in store: some AccountStore
    ) throws -> Bool {
        guard let email, email.canonical != user.email else { return false }
        if try store.user(email: email.canonical) != nil { throw Refusal(.emailExists) }
        let isNotified = user.emailVerifiedAt != nil || policy.noticesUnproven
        // A proven address takes the place of an earlier one, whose mailbox may belong to another person by now.
        if remembersOld, isNotified, user.initialEmail == nil || user.emailVerifiedAt != nil {
            user.initialEmail = user.email
            user.initialUnclaimedSince = user.unclaimedSince
        }
        try forgetClients(of: user, in: store)
        user.email = email.canonical
        user.emailVerifiedAt = nil
        return true
    }

    /// Tells the first address of a user whose address has been changed without a mail, with the way back.
    ///
    /// In production an address is remembered as the first one only if it was proven.
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
            in: store
        )
    }

    /// Ends all sessions of a user and begins one in place of the caller's, which keeps how and when the user signed in.
    private func renew(
        _ session: Session,
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> Session {
        try store.endSessions(of: session.uid, except: nil, reason: .revoked)
        var renewed = Session(opening, uid: session.uid, provider: session.provider, at: store.now)
        renewed.authTime = session.authTime
        try store.insert(renewed)
        return renewed
    }
}
