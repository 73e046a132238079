internal import Tokens

extension AccountFlows {
    /// Signs in by an identity provider, links the identity to the presented user, or merges the users (contract, 3.8).
    ///
    /// A single-use token is used up only by success.
    ///
    /// - Returns: the session, or an outcome that changed nothing: a conflict, or an account whose address is not
    ///   proven to belong to the same person.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED (the presented user is an administrator),
    ///   CREDENTIAL_TOO_OLD_LOGIN_AGAIN, USER_DISABLED, MISSING_OR_INVALID_NONCE (the token was used before),
    ///   MERGE_IN_PROGRESS, TOO_MANY_ATTEMPTS_TRY_LATER, those of ``authenticate(_:in:)``, or what
    ///   ``merge(_:into:id:isDryRun:in:)`` throws.
    package func signIn(_ signIn: ProviderSignIn, in store: some AccountStore) throws -> ProviderOutcome {
        let presented = try signIn.token.map { try asker(presenting: $0, in: store) }
        let config = try projectConfig(in: store)
        let action: ProviderAction
        switch try decide(signIn, presented: presented, config, in: store) {
        case .act(let decided): action = decided
        case .leave(let outcome): return outcome
        }
        try spend(signIn.assertion.spends, in: store)
        switch action {
        case .create:
            return try create(signIn, takesEmail: !config.allowsDuplicateEmails, in: store)
        case .enter(let owner):
            return try begin(signIn, with: try take(owner, by: signIn, in: store), in: store)
        case .link(let user):
            return try link(signIn, to: user, takesEmail: !config.allowsDuplicateEmails, in: store)
        case .merge(let guest, let owner):
            // Both at once, because all transactions lock users by id.
            try store.lockUsers([guest.uid, owner.user.uid])
            var taken = try take(owner, by: signIn, in: store)
            guard signIn.onConflict == .merge else {
                let code = owner.isIdentitys ? Code.federatedUserIDAlreadyLinked : .emailExists
                throw try conflict(code, reportingMergeOf: guest, into: taken.user, id: signIn.mergeID, in: store)
            }
            let merged = try merge(guest, into: taken.user, id: signIn.mergeID, in: store)
            taken.user = merged.user
            return try begin(signIn, with: taken, merged: merged, in: store)
        }
    }

    /// Authenticates the presented user, and refuses an administrator, and a user who did not sign in recently
    /// (``requireRecentSignIn(_:in:)``).
    private func asker(presenting token: PresentedToken, in store: some AccountStore) throws -> User {
        try store.prefetch { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.administrators()
        }
        let presented = try authenticate(token, in: store)
        try refuseIfAdministrator(presented.user.uid, in: store)
        try requireRecentSignIn(presented, in: store)
        return presented.user
    }

    private func spend(_ token: SpentToken?, in store: some AccountStore) throws {
        guard let token, try !store.spendToken(token.digest, until: token.expiresAt) else { return }
        throw Refusal(
            .missingOrInvalidNonce,
            detail: "Duplicate credential received. Please try again with a new credential."
        )
    }

    /// Creates a permanent user for an identity that no user has, and signs them in.
    ///
    /// The user gets the provider's address only if `takesEmail` is set.
    private func create(
        _ signIn: ProviderSignIn,
        takesEmail: Bool,
        in store: some AccountStore
    ) throws -> ProviderOutcome {
        let assertion = signIn.assertion
        var user = User(uid: signIn.uid, createdAt: store.now)
        user.setProfile(of: assertion)
        if takesEmail { user.takeEmail(of: assertion, at: store.now) }
        try store.insert(user)
        let identity = Identity(assertion, of: user.uid)
        try store.put(identity)
        try audit(.userCreated, uid: user.uid, detail: assertion.provider, in: store)
        try announce(.userCreated, user.uid, isAnonymous: false, in: store)
        let signedIn = try self.signIn(
            user,
            opening: signIn.opening,
            provider: SignInProvider(rawValue: assertion.provider),
            identities: [identity],
            isNewUser: true,
            in: store
        )
        return .signedIn(signedIn, isEmailRecycled: false)
    }

    /// Links the identity to the presented user, who gets a new session; the UID stays.
    ///
    /// All sessions of a guest end, and so do those of a permanent user whose unproven address the assertion proves. A
    /// guest's unproven address is removed. Neither a planted session nor a planted address must give access to the
    /// account of the user who links it.
    private func link(
        _ signIn: ProviderSignIn,
        to presented: User,
        takesEmail: Bool,
        in store: some AccountStore
    ) throws -> ProviderOutcome {
        try presented.refuseIfMergeSuspended()
        let assertion = signIn.assertion
        let identity = Identity(assertion, of: presented.uid)
        let hasNotice = try noticeAddition(of: identity, to: presented, notice: signIn.notice, in: store)
        let provesOwnEmail = assertion.provesEmail && assertion.email == presented.email
        var user = presented
        if presented.isAnonymous {
            try endGuest(&user, in: store)
        } else if provesOwnEmail && presented.emailVerifiedAt == nil {
            // The same as when an e-mail link proves the address.
            try endSessionsAndMails(of: &user, sparing: .recoverEmail, because: .linked, in: store)
            try recordTakeover(of: &user, in: store)
        }
        if user.email == nil && takesEmail || provesOwnEmail && user.emailVerifiedAt == nil {
            user.takeEmail(of: assertion, at: store.now)
        }
        // The presented session and the provider's assertion together show that the account belongs to the owner of the
        // address.
        if provesOwnEmail { user.unclaimedSince = nil }
        user.lastLoginAt = store.now
        try store.update(user)
        try store.put(identity)
        try audit(.userLinked, uid: user.uid, detail: assertion.provider, in: store)
        try recordChange(ofImported: user.uid, endsSessions: false, in: store)
        try announce(.userLinked, user.uid, isAnonymous: false, in: store)
        var signedIn = try self.signIn(
            user,
            opening: signIn.opening,
            provider: SignInProvider(rawValue: assertion.provider),
            isNewUser: false,
            linked: true,
            wasAnonymous: presented.isAnonymous,
            in: store
        )
        signedIn.hasNotice = hasNotice
        return .signedIn(signedIn, isEmailRecycled: false)
    }

    /// Notifies a permanent user of an added identity, which replaces any at the same provider, before it is stored;
    /// does nothing for a guest.
    ///
    /// - Returns: whether a notice was queued.
    private func noticeAddition(
        of identity: Identity,
        to user: User,
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws -> Bool {
        // A guest's first method causes no notice, so nothing is read for it.
        guard !user.isAnonymous else { return false }
        let replaced = try store.linkedIdentities(of: user.uid).filter { $0.identity.provider == identity.provider }
        return try noticeMethods(of: user, added: identity, removed: replaced, notice: notice, in: store)
    }

    /// Prepares an existing account for a sign-in, and stores the identity as the provider describes it now.
    ///
    /// An account that is found by its address gets the identity and the provider's profile, after ``takeOver(_:in:)``.
    private func take(
        _ owner: ProviderOwner,
        by signIn: ProviderSignIn,
        in store: some AccountStore
    ) throws -> TakenAccount {
        let assertion = signIn.assertion
        var user = owner.user
        var isEmailRecycled = false
        var hasNotice = false
        switch owner {
        case .identity:
            guard !user.isDisabled else { throw Refusal(.userDisabled) }
            user.lastLoginAt = store.now
        case .email:
            isEmailRecycled = try store.identities(of: user.uid).contains { $0.provider == assertion.provider }
            // The previous owner of the address at this provider is another person.
            if isEmailRecycled {
                try store.endSessions(of: user.uid, except: nil, reason: .proven)
                try recordChange(ofImported: user.uid, endsSessions: true, in: store)
            }
            let before = user
            user = try takeOver(user, in: store)
            user.setProfile(of: assertion)
            // A takeover causes no notice, because the account's owner has only just arrived.
            if !before.isUnclaimed {
                let identity = Identity(assertion, of: user.uid)
                hasNotice = try noticeAddition(of: identity, to: before, notice: signIn.notice, in: store)
            }
        }
        try store.update(user)
        try store.put(Identity(assertion, of: user.uid))
        return TakenAccount(user: user, isEmailRecycled: isEmailRecycled, hasNotice: hasNotice)
    }

    /// Signs in to the account that the identity now belongs to.
    private func begin(
        _ signIn: ProviderSignIn,
        with taken: TakenAccount,
        merged: Merged? = nil,
        in store: some AccountStore
    ) throws -> ProviderOutcome {
        try audit(.userSignedIn, uid: taken.user.uid, detail: signIn.assertion.provider, in: store)
        var signedIn = try self.signIn(
            taken.user,
            opening: signIn.opening,
            provider: SignInProvider(rawValue: signIn.assertion.provider),
            isNewUser: false,
            in: store
        )
        signedIn.merged = merged
        signedIn.hasNotice = taken.hasNotice
        return .signedIn(signedIn, isEmailRecycled: taken.isEmailRecycled)
    }
}

/// An account that is ready for a sign-in by an identity provider.
private struct TakenAccount {
    var user: User
    let isEmailRecycled: Bool
    let hasNotice: Bool
}
