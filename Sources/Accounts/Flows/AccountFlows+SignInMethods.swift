/// The sign-in methods of the owner of an address.
package struct SignInMethods: Sendable, Equatable {
    package var isRegistered = false
    /// Ids of providers; `password` stands for the e-mail link.
    package var providers: [String] = []
    /// `emailLink` for the e-mail link, otherwise the provider's id.
    package var methods: [String] = []
}

extension AccountFlows {
    /// Returns the sign-in methods of an address's owner: the user with that address, or else the first user with it at
    /// an identity provider (contract, 3.7).
    ///
    /// While duplicate addresses are allowed, only the e-mail link is returned, because a provider says nothing about
    /// which of several users is meant.
    ///
    /// - Returns: the methods, none if the address has no owner; `nil` while e-mail privacy is on, when nothing is read
    ///   by address either.
    package func signInMethods(of email: EmailAddress, in store: some AccountStore) throws -> SignInMethods? {
        let config = try projectConfig(in: store)
        guard !config.emailPrivacy else { return nil }
        var known = SignInMethods()
        var owner = try store.user(email: email.canonical)
        if owner == nil, let identity = try store.identity(email: email.canonical) {
            owner = try store.user(identity.uid)
        }
        guard let owner else { return known }
        known.isRegistered = true
        if owner.email != nil, owner.emailLinkAt != nil {
            known.providers.append(SignInProvider.emailLink.rawValue)
            known.methods.append("emailLink")
        }
        if !config.allowsDuplicateEmails {
            let ids = try store.identities(of: owner.uid).map(\.provider)
            known.providers += ids
            known.methods += ids
        }
        return known
    }
}
