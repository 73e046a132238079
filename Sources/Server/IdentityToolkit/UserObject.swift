internal import Accounts
internal import JSON

extension JSONWriter {
    /// Writes a user's members (contract, 2.1); what was never set is absent.
    mutating func members(of user: User, identities: [Identity], username: String?) {
        member("localId", user.uid)
        if let email = user.email {
            member("email", email)
            member("emailVerified", user.emailVerifiedAt != nil)
        }
        member("username", username)
        member("displayName", user.displayName)
        member("photoUrl", user.photoURL)
        if user.disabledAt != nil { member("disabled", true) }
        if user.emailLinkAt != nil { member("emailLinkSignin", true) }
        member("initialEmail", user.initialEmail)
        member("customAttributes", user.customAttributes)
        providerUserInfo(of: user, identities: identities)
        member("validSince", String(user.validSince))
        member("lastLoginAt", String(user.lastLoginAt))
        member("createdAt", String(user.createdAt))
        member("lastRefreshAt", Timestamp.rfc3339(milliseconds: user.lastRefreshAt))
    }

    /// Writes the ways in; absent for a user without any.
    ///
    /// The row `password` stands for e-mail-link sign-in, and is what tells clients that a linked user is no longer
    /// anonymous (contract, 0.2).
    mutating func providerUserInfo(of user: User, identities: [Identity]) {
        let emailLink = user.emailLinkAt == nil ? nil : user.email
        guard emailLink != nil || !identities.isEmpty else { return }
        beginArray("providerUserInfo")
        if let emailLink {
            beginObject()
            member("providerId", SignInProvider.emailLink.rawValue)
            member("email", emailLink)
            member("federatedId", emailLink)
            member("rawId", emailLink)
            member("displayName", user.displayName)
            member("photoUrl", user.photoURL)
            endObject()
        }
        for identity in identities {
            beginObject()
            member("providerId", identity.provider)
            member("rawId", identity.subject)
            member("federatedId", identity.subject)
            member("email", identity.email)
            member("displayName", identity.displayName)
            member("photoUrl", identity.photoURL)
            member("screenName", identity.screenName)
            endObject()
        }
        endArray()
    }
}
