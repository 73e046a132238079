extension AccountFlows {
    /// Signs in by an identity provider, links the identity to the presented user, or merges them (contract, 3.8).
    ///
    /// A token that is good for one sign-in is spent by success alone.
    ///
    /// - Throws: ``Refusal`` USER_DISABLED, MISSING_OR_INVALID_NONCE, MERGE_IN_PROGRESS, or those of ``authenticate(_:in:)``
    ///   and ``checkMerge(of:into:by:)``; or ``MergeBlocked``.
    package func signIn(_ signIn: ProviderSignIn, in store: some AccountStore) throws -> ProviderOutcome {
        let presented = try signIn.token.map { try authenticate($0, in: store).user }
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
            return try begin(signIn, with: try owner.take(signIn.assertion, self, in: store), in: store)
        case .link(let user):
            return try link(signIn, to: user, takesEmail: !config.allowsDuplicateEmails, in: store)
        case .merge(let guest, let owner):
            var taken = try owner.take(signIn.assertion, self, in: store)
            let merged = try merge(guest, into: taken.user, id: signIn.mergeID, in: store)
            taken.user = merged.user
            return try begin(signIn, with: taken, merged: merged, in: store)
        }
    }

    /// Finds out who signs in, and changes nothing.
    private func decide(
        _ signIn: ProviderSignIn,
        presented: User?,
        _ config: ProjectConfig,
        in store: some AccountStore
    ) throws -> ProviderDecision {
        let assertion = signIn.assertion
        let known = try store.identity(assertion.subject, at: assertion.provider).flatMap { try store.user($0.uid) }
        let namesake = try config.allowsDuplicateEmails ? nil : assertion.email.flatMap { try store.user(email: $0) }
        let owner: ProviderOwner? =
            if let known { .identity(known) } else if let namesake { .email(namesake) } else { nil }

        guard let presented else {
            guard let owner else { return .act(.create) }
            guard owner.isProven(by: assertion) else {
                let uid = owner.user.uid
                let providers = config.emailPrivacy ? nil : try store.identities(of: uid).map(\.provider)
                return .leave(.needsConfirmation(uid: uid, providers: providers))
            }
            return .act(.enter(owner))
        }
        switch owner {
        case nil: return .act(.link(presented))
        case .email(let user) where user.uid == presented.uid: return .act(.link(presented))
        // Even where it is the presented user's own (contract, 0.8).
        case .identity(let user) where user.uid == presented.uid:
            return .leave(.conflict(.federatedUserIDAlreadyLinked))
        case .identity(let user):
            guard signIn.onConflict == .merge else { return .leave(.conflict(.federatedUserIDAlreadyLinked)) }
            return .act(.merge(presented, into: .identity(user)))
        case .email(let user):
            guard signIn.onConflict == .merge, assertion.provesEmail else { return .leave(.conflict(.emailExists)) }
            return .act(.merge(presented, into: .email(user)))
        }
    }

    private func spend(_ token: SpentToken?, in store: some AccountStore) throws {
        guard let token, try !store.spendToken(token.digest, until: token.expiresAt) else { return }
        throw Refusal(
            .missingOrInvalidNonce,
            detail: "Duplicate credential received. Please try again with a new credential."
        )
    }

    /// Makes a permanent user of an identity that nobody has.
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
        try store.audit(.userCreated, uid: user.uid, detail: assertion.provider)
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

    /// Gives the presented user the identity; the UID stays.
    ///
    /// Sessions end as they do when a guest is given an address: a planted one never becomes a way into the account of whoever
    /// linked it.
    private func link(
        _ signIn: ProviderSignIn,
        to presented: User,
        takesEmail: Bool,
        in store: some AccountStore
    ) throws -> ProviderOutcome {
        try presented.refuseIfHeld()
        let assertion = signIn.assertion
        let provesOwnEmail = assertion.provesEmail && assertion.email == presented.email
        if presented.isAnonymous || provesOwnEmail && presented.emailVerifiedAt == nil {
            try store.endSessions(of: presented.uid, except: nil, reason: .linked)
        }
        var user = presented
        if user.email == nil && takesEmail || provesOwnEmail && user.emailVerifiedAt == nil {
            user.takeEmail(of: assertion, at: store.now)
        }
        user.anonymousSince = nil
        user.lastLoginAt = store.now
        try store.update(user)
        try store.put(Identity(assertion, of: user.uid))
        try store.audit(.userLinked, uid: user.uid, detail: assertion.provider)
        try announce(.userLinked, user.uid, isAnonymous: false, in: store)
        let signedIn = try self.signIn(
            user,
            opening: signIn.opening,
            provider: SignInProvider(rawValue: assertion.provider),
            isNewUser: false,
            linked: true,
            wasAnonymous: presented.isAnonymous,
            in: store
        )
        return .signedIn(signedIn, isEmailRecycled: false)
    }

    /// Signs in to the account that the identity leads to by now.
    private func begin(
        _ signIn: ProviderSignIn,
        with taken: TakenAccount,
        merged: Merged? = nil,
        in store: some AccountStore
    ) throws -> ProviderOutcome {
        try store.audit(.userSignedIn, uid: taken.user.uid, detail: signIn.assertion.provider)
        var signedIn = try self.signIn(
            taken.user,
            opening: signIn.opening,
            provider: SignInProvider(rawValue: signIn.assertion.provider),
            isNewUser: false,
            in: store
        )
        signedIn.merged = merged
        return .signedIn(signedIn, isEmailRecycled: taken.isEmailRecycled)
    }
}

/// What a sign-in by an identity provider comes to.
private enum ProviderDecision {
    case act(ProviderAction)
    /// Nothing is to be changed or spent.
    case leave(ProviderOutcome)
}

private enum ProviderAction {
    case create
    case enter(ProviderOwner)
    case link(User)
    case merge(User, into: ProviderOwner)
}

/// The account that an assertion leads to, and by what.
private enum ProviderOwner {
    /// They have the very identity.
    case identity(User)
    /// They have the address, and not the identity.
    case email(User)

    var user: User {
        switch self {
        case .identity(let user), .email(let user): user
        }
    }

    /// Whether the assertion proves that this is who signs in.
    func isProven(by assertion: ProviderAssertion) -> Bool {
        switch self {
        case .identity: true
        case .email: assertion.provesEmail
        }
    }

    /// Notes on the account that its owner is here, with the identity as the provider describes it now.
    ///
    /// - Throws: ``Refusal`` USER_DISABLED, MERGE_IN_PROGRESS.
    func take(
        _ assertion: ProviderAssertion,
        _ flows: AccountFlows,
        in store: some AccountStore
    ) throws -> TakenAccount {
        var user: User
        var isEmailRecycled = false
        switch self {
        case .identity(let owner):
            guard owner.disabledAt == nil else { throw Refusal(.userDisabled) }
            user = owner
            user.lastLoginAt = store.now
        case .email(let owner):
            isEmailRecycled = try store.identities(of: owner.uid).contains { $0.provider == assertion.provider }
            // Whoever had the address before at this provider is somebody else.
            if isEmailRecycled { try store.endSessions(of: owner.uid, except: nil, reason: .proven) }
            user = try flows.takeOver(owner, in: store)
            user.setProfile(of: assertion)
        }
        try store.update(user)
        try store.put(Identity(assertion, of: user.uid))
        return TakenAccount(user: user, isEmailRecycled: isEmailRecycled)
    }
}

private struct TakenAccount {
    var user: User
    let isEmailRecycled: Bool
}

extension Identity {
    /// The identity that a provider describes, as one of a user's.
    fileprivate init(_ assertion: ProviderAssertion, of uid: String) {
        self.init(
            uid: uid,
            provider: assertion.provider,
            subject: assertion.subject,
            email: assertion.email,
            displayName: assertion.displayName,
            photoURL: assertion.photoURL,
            screenName: assertion.screenName
        )
    }
}

extension User {
    /// Takes the profile at the provider in place of the present one; what the provider does not say is cleared.
    fileprivate mutating func setProfile(of assertion: ProviderAssertion) {
        displayName = assertion.displayName
        photoURL = assertion.photoURL
        screenName = assertion.screenName
    }

    /// Takes the address at the provider, proven or not.
    ///
    /// Only a provider whose word counts makes it a proven one: on anybody else's, its owner would find a stranger in the
    /// account that we hold for theirs.
    fileprivate mutating func takeEmail(of assertion: ProviderAssertion, at now: Int64) {
        guard let address = assertion.email else { return }
        email = address
        emailVerifiedAt = assertion.provesEmail ? now : nil
    }
}
