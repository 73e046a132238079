package import Tokens

/// The rules of the product: what each call does to users, sessions and tickets.
///
/// A flow is one method that runs inside one transaction, given as ``AccountStore``. It does no I/O of its own and draws no
/// random numbers, because a transaction may run again; what it needs of chance comes in its input. A thrown ``Refusal``
/// rolls everything back; a returned ``Decision/refused(_:)`` keeps what was counted.
package struct AccountFlows: Sendable {
    package let policy: Policy
    let secrets: ServerSecrets
    let sealer: Sealer

    /// Makes the flows for the operator's rules, signing links with the server's secrets.
    package init(policy: Policy, secrets: ServerSecrets) {
        self.policy = policy
        self.secrets = secrets
        sealer = Sealer(secrets)
    }
}

/// A user with a session that has just begun or goes on: what a token triple is made of.
package struct SignedIn: Sendable, Equatable {
    package let user: User
    package let session: Session
    package let identities: [Identity]
    package let isNewUser: Bool
    /// Whether the asking session's user was given the credential, and so kept their UID.
    package let linked: Bool
    /// Whether the user was anonymous until now.
    package let wasAnonymous: Bool
    /// The merge that the sign-in led to.
    package var merged: Merged?
    /// The keyed hash of the client's network address, where this call signed the user in.
    package var client: String?

    /// The client that the user's address signed in from.
    package var knownClient: KnownClient? {
        guard let client, let email = user.email, user.emailVerifiedAt != nil else { return nil }
        return KnownClient(uid: user.uid, email: email, client: client, mayBeKnown: !isNewUser)
    }
}
