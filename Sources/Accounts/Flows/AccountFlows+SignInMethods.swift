/// How the owner of an address may sign in.
package struct SignInMethods: Sendable, Equatable {
    package var isRegistered = false
    /// Ids of providers; `password` stands for the mailed link.
    package var providers: [String] = []
    /// `emailLink` for the mailed link, else the provider's id.
    package var methods: [String] = []
}

extension AccountFlows {
    /// The ways in of an address's owner: the user who has it, else the first one who has it at an identity provider
    /// (contract, 3.7).
    ///
    /// While duplicate addresses are allowed, only the mailed link is certain to lead to that user.
    ///
    /// - Returns: `nil` while e-mail privacy is on; then nothing is read by address either.
    package func signInMethods(of email: EmailAddress, in store: some AccountStore) throws -> SignInMethods? {
        let config = try projectConfig(in: store)
        guard !config.emailPrivacy else { return nil }
        var known = SignInMethods()
        var owner = try store.user(email: email.canonical)
        if owner == nil, !config.allowsDuplicateEmails, let identity = try store.identity(email: email.canonical) {
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
