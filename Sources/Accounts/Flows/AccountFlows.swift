package import Tokens

/// The rules of the product: what each call does to users, sessions and tickets.
///
/// A flow is one method that runs inside one transaction, given as ``AccountStore``. It does no I/O of its own and
/// draws no random numbers, because a transaction may run again; its random values come in its input. A thrown
/// ``Refusal`` rolls everything back; a returned ``Decision/refused(_:)`` keeps what was counted.
package struct AccountFlows: Sendable {
    private let currentPolicy: Current<Policy>
    let secrets: ServerSecrets
    let sealer: Sealer
    /// What makes the changes of these flows; a client unless ``acting(as:)`` says otherwise.
    package internal(set) var actor = AuditActor.client

    /// Makes the flows for the operator's policy; links are signed with the server's secrets.
    package init(policy: Policy, secrets: ServerSecrets) {
        currentPolicy = Current(policy)
        self.secrets = secrets
        sealer = Sealer(secrets)
    }

    /// The operator's policy, which may be replaced between two readings.
    package var policy: Policy {
        _read { yield currentPolicy.value }
    }

    /// Replaces the policy, in all copies of these flows.
    package func use(_ policy: Policy) {
        currentPolicy.replace(policy)
    }
}

/// A user with a new or continued session: the data for a token triple.
package struct SignedIn: Sendable, Equatable {
    package let user: User
    package let session: Session
    package let identities: [Identity]
    package let isNewUser: Bool
    /// Whether the call added an address or identity to the presented user, who kept their UID, or a custom token made
    /// a guest a permanent user.
    package let linked: Bool
    /// Whether the user was a guest until this call made them permanent; false if a guest was merged into the user.
    package let wasAnonymous: Bool
    /// The merge of a guest into ``user`` that the sign-in caused; `nil` if it caused none.
    package var merged: Merged?
    /// The keyed hash of the client's network address, if this call signed the user in by an e-mail link, a code, an
    /// approval or an identity provider; `nil` for all other calls and for a repeated answer.
    package var client: String?

    /// The ticket that was redeemed; `nil` for other sign-ins and for a repeated answer.
    package var redeemed: RedeemedTicket?

    /// Whether a notice of an added sign-in method was queued.
    package var hasNotice = false

    /// The client that the user's address signed in from, to be stored; `nil` if ``client`` is, or the user has no
    /// proven address.
    package var knownClient: KnownClient? {
        guard let client, let email = user.email, user.emailVerifiedAt != nil else { return nil }
        return KnownClient(uid: user.uid, email: email, client: client, mayBeKnown: !isNewUser)
    }

    /// The event of the redemption, to be written into the trace; `nil` if no ticket was redeemed.
    package var redemptionTrace: TraceEntry? {
        redeemed.map { redeemed in
            let device = TracedDevice(uid: user.uid, name: session.device, network: session.network)
            let way = redeemed.way.rawValue
            return TraceEntry(.redeemed, of: redeemed.id, by: device, detail: way, at: session.createdAt)
        }
    }
}

/// A ticket that a sign-in has spent.
package struct RedeemedTicket: Sendable, Equatable {
    /// What proved that the mailbox was opened, by the names that the trace stores.
    package enum Way: String, Sendable {
        case link
        case code
        case approval
    }

    /// The id of the ticket.
    package let id: String
    package let way: Way
}
