extension Identity {
    /// Makes a user's identity from a provider's assertion.
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
    /// Replaces the display name, the screen name and the photo URL with those at the provider; fields that the
    /// provider leaves out are cleared.
    mutating func setProfile(of assertion: ProviderAssertion) {
        displayName = assertion.displayName
        photoURL = assertion.photoURL
        screenName = assertion.screenName
    }

    /// Sets the user's address to the one at the provider; does nothing if the provider gives none.
    ///
    /// The address counts as proven only if the assertion proves it (``ProviderAssertion/provesEmail``). Otherwise the
    /// owner of the address could find another person in the account that counts as theirs.
    mutating func takeEmail(of assertion: ProviderAssertion, at now: Int64) {
        guard let address = assertion.email else { return }
        email = address
        emailVerifiedAt = assertion.provesEmail ? now : nil
    }
}
