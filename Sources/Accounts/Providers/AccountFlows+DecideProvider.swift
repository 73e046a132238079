extension AccountFlows {
    /// Decides what a sign-in by an identity provider does, and changes nothing.
    ///
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED for an address that the operator's lists do not admit.
    func decide(
        _ signIn: ProviderSignIn,
        presented: User?,
        _ config: ProjectConfig,
        in store: some AccountStore
    ) throws -> ProviderDecision {
        let assertion = signIn.assertion
        guard policy.addressLists.admits(assertion) else {
            throw Refusal(.operationNotAllowed, detail: "This address may not sign in here.")
        }
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
        // Even if it is the presented user's own identity (contract, 3.8).
        case .identity(let user) where user.uid == presented.uid:
            return .leave(.conflict(.federatedUserIDAlreadyLinked))
        case .identity(let user):
            guard signIn.onConflict != .error else { return .leave(.conflict(.federatedUserIDAlreadyLinked)) }
            return .act(.merge(presented, into: .identity(user)))
        case .email(let user):
            guard signIn.onConflict != .error, try mayEnter(.email(user), by: assertion, in: store) else {
                return .leave(.conflict(.emailExists))
            }
            return .act(.merge(presented, into: .email(user)))
        }
    }

    /// Whether the assertion may open the account: it has the account's identity, or proves the account's address
    /// (``ProviderAssertion/provesEmail``).
    ///
    /// An address alone never gives access to an administrator's account, because the sign-in would add a provider to
    /// it.
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

/// The outcome of deciding a sign-in by an identity provider.
enum ProviderDecision {
    case act(ProviderAction)
    /// The sign-in ends with this outcome, a conflict or a needed confirmation; nothing is changed or used up.
    case leave(ProviderOutcome)
}

/// What a sign-in by an identity provider does.
enum ProviderAction {
    /// Creates a user with the identity.
    case create
    /// Signs in to an account without a presented session.
    case enter(ProviderOwner)
    /// Links the identity to the presented user.
    case link(User)
    /// Merges the presented user into an account, and signs in to it.
    case merge(User, into: ProviderOwner)
}

/// The account that an assertion leads to, and whether by the identity or by the address.
enum ProviderOwner {
    /// The account has the identity itself.
    case identity(User)
    /// The account has the address, but not the identity.
    case email(User)

    var user: User {
        switch self {
        case .identity(let user), .email(let user): user
        }
    }

    /// Whether the account has the identity itself.
    var isIdentitys: Bool {
        if case .identity = self { true } else { false }
    }
}

extension AddressLists {
    /// Whether the lists admit a sign-in by an identity provider.
    ///
    /// With a list of allowed domains, only an address that the provider proves can be admitted.
    fileprivate func admits(_ assertion: ProviderAssertion) -> Bool {
        guard let email = assertion.email else { return allowedDomains == nil }
        return objection(to: email) == nil && (allowedDomains == nil || assertion.provesEmail)
    }
}
