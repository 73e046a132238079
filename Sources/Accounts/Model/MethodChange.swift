/// An identity of a user with the time at which it was linked.
package struct LinkedIdentity: Sendable, Equatable {
    package var identity: Identity
    /// When the identity was linked to its user, in milliseconds since 1970.
    package var linkedAt: Int64

    /// Makes a linked identity from its parts.
    package init(_ identity: Identity, linkedAt: Int64) {
        self.identity = identity
        self.linkedAt = linkedAt
    }
}

/// An identity at a provider that was linked to a user or removed, recorded so that the link of the notice, or the
/// recovery of an address, can revert it.
///
/// Times are milliseconds since 1970.
package struct MethodChange: Sendable, Equatable {
    /// What happened to the method.
    package enum Kind: String, Sendable {
        case added
        case removed
    }

    package var kind: Kind
    package var method: LinkedIdentity
    /// The id of the action code in the notice's link; an id that no code has if there is no notice.
    package var code: String
    /// The name of the device that changed the method; empty if it is unknown.
    package var device: String
    package var changedAt: Int64
    /// When the record may be deleted: ``Policy/recoverLinkLife`` after the change, when the notice's link expires.
    package var expiresAt: Int64

    /// Makes a change from its parts.
    package init(
        _ kind: Kind,
        _ method: LinkedIdentity,
        code: String,
        device: String,
        changedAt: Int64,
        expiresAt: Int64
    ) {
        self.kind = kind
        self.method = method
        self.code = code
        self.device = device
        self.changedAt = changedAt
        self.expiresAt = expiresAt
    }
}

/// The names of sign-in methods in e-mails and on pages.
package enum MethodName {
    private static let known = [
        "apple.com": "Apple", "facebook.com": "Facebook", "github.com": "GitHub", "google.com": "Google",
        "microsoft.com": "Microsoft", "twitter.com": "X", "yahoo.com": "Yahoo",
    ]

    /// Returns a provider's name, or its id if the name is unknown.
    package static func of(_ provider: String) -> String { known[provider] ?? provider }

    /// Returns the names of the providers of the changed identities, in order, separated by commas.
    package static func list(_ changes: [MethodChange]) -> String {
        changes.map { of($0.method.identity.provider) }.joined(separator: ", ")
    }
}
