/// A client's change to its own user, decoded (contract, 3.5).
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

    /// A change of nothing.
    package init() {}
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
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED for an unproven address while e-mail privacy is on, EMAIL_EXISTS, or those
    ///   of ``authenticate(_:in:)``.
    package func updateProfile(
        _ update: ProfileUpdate,
        of token: PresentedToken,
        opening: SessionOpening,
        notice: MailIDs,
        in store: some AccountStore
    ) throws -> UpdatedProfile {
        let (before, session) = try authenticate(token, in: store)
        try before.refuseIfHeld()
        var user = before
        if let displayName = update.displayName { user.displayName = displayName }
        if let photoURL = update.photoURL { user.photoURL = photoURL }
        if update.deletesDisplayName { user.displayName = nil }
        if update.deletesPhotoURL { user.photoURL = nil }
        if update.deletesEmail || update.deletedProviders.contains(SignInProvider.emailLink.rawValue) {
            user.email = nil
            user.emailVerifiedAt = nil
            user.emailLinkAt = nil
        }
        for provider in update.deletedProviders {
            if provider != SignInProvider.emailLink.rawValue {
                try store.deleteIdentity(of: user.uid, provider: provider)
            }
            try store.audit(.providerUnlinked, uid: user.uid, detail: provider)
        }
        let changesEmail = try setUnproven(update.email, for: &user, before: before, in: store)
        let revokes = changesEmail || update.revokesTokens
        if revokes { user.validSince = store.now / 1000 }
        try store.update(user)
        // A session that began anonymously has changed an address that it set itself, which nobody proved.
        if changesEmail, session.provider != .anonymous, let initialEmail = user.initialEmail {
            try noticeChange(
                of: initialEmail,
                to: user.email,
                for: user,
                ids: notice,
                locale: update.locale,
                in: store
            )
        }
        return UpdatedProfile(
            user: user,
            identities: try store.identities(of: user.uid),
            session: revokes ? try renew(session, opening: opening, in: store) : nil
        )
    }

    /// Sets an address that nobody has proven, where the operator allows that at all.
    ///
    /// - Returns: whether the user's address changed.
    private func setUnproven(
        _ email: EmailAddress?,
        for user: inout User,
        before: User,
        in store: some AccountStore
    ) throws -> Bool {
        guard let email, email.canonical != before.email else { return false }
        guard try !projectConfig(in: store).emailPrivacy else { throw Refusal(.operationNotAllowed) }
        if try store.user(email: email.canonical) != nil { throw Refusal(.emailExists) }
        if user.initialEmail == nil { user.initialEmail = before.email }
        user.email = email.canonical
        user.emailVerifiedAt = nil
        return true
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
