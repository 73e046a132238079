extension AccountFlows {
    /// Finds out who signs in, and changes nothing.
    func decide(
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
            guard try mayEnter(owner, by: assertion, in: store) else {
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
            guard signIn.onConflict == .merge, try mayEnter(.email(user), by: assertion, in: store) else {
                return .leave(.conflict(.emailExists))
            }
            return .act(.merge(presented, into: .email(user)))
        }
    }

    /// Whether the assertion proves that the account's owner signs in.
    ///
    /// An address alone leads to no administrator's account, because the sign-in would add a provider to it.
    private func mayEnter(
        _ owner: ProviderOwner,
        by assertion: ProviderAssertion,
        in store: some AccountStore
    ) throws -> Bool {
        switch owner {
        case .identity: true
        case .email(let user): try assertion.provesEmail && !store.administrators().contains(user.uid)
        }
    }
}

/// What a sign-in by an identity provider comes to.
enum ProviderDecision {
    case act(ProviderAction)
    /// Nothing is to be changed or spent.
    case leave(ProviderOutcome)
}

enum ProviderAction {
    case create
    case enter(ProviderOwner)
    case link(User)
    case merge(User, into: ProviderOwner)
}

/// The account that an assertion leads to, and by what.
enum ProviderOwner {
    /// They have the very identity.
    case identity(User)
    /// They have the address, and not the identity.
    case email(User)

    var user: User {
        switch self {
        case .identity(let user), .email(let user): user
        }
    }
}
