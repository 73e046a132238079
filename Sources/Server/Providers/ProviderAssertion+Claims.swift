internal import Accounts
internal import JSON

extension ProviderAssertion {
    /// Makes an assertion from the claims of a provider's token, with the e-mail address in canonical form.
    ///
    /// Texts that a profile cannot hold, and an invalid address, are left out. The client still gets them in the raw
    /// claims.
    init(_ claims: ProviderClaims, of provider: String) {
        self.init(provider: provider, subject: claims.subject)
        email = claims.all["email"]?.string.flatMap { try? EmailAddress(parsing: $0) }?.canonical
        isEmailVerified = claims.isEmailVerified
        isEmailTrusted = claims.isEmailTrusted
        displayName = claims.profileText("name")
        photoURL = claims.profileText("picture")
        screenName = claims.profileText("screen_name")
        spends = claims.spends
    }
}

extension ProviderClaims {
    /// `email_verified`, which some providers write as a string.
    fileprivate var isEmailVerified: Bool {
        all["email_verified"] == .bool(true) || all["email_verified"] == .string("true")
    }

    fileprivate func profileText(_ name: String) -> String? {
        guard let text = all[name]?.string, !text.isEmpty, ProfileText.isAcceptable(text) else { return nil }
        return text
    }
}
