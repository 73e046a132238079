extension Identity {
    /// The identity that a provider describes, as one of a user's.
    init(_ assertion: ProviderAssertion, of uid: String) {
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
    mutating func setProfile(of assertion: ProviderAssertion) {
        displayName = assertion.displayName
        photoURL = assertion.photoURL
        screenName = assertion.screenName
    }

    /// Takes the address at the provider, proven or not.
    ///
    /// Only a provider whose word counts makes it a proven one: on anybody else's, its owner would find a stranger in the
    /// account that we hold for theirs.
    mutating func takeEmail(of assertion: ProviderAssertion, at now: Int64) {
        guard let address = assertion.email else { return }
        email = address
        emailVerifiedAt = assertion.provesEmail ? now : nil
    }
}
