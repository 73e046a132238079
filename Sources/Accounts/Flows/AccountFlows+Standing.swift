extension AccountFlows {
    /// What speaks for a client that asks for an e-mail.
    ///
    /// A request for an e-mail learns it from ``countMail(to:from:by:in:)``, in the round trip of its counters.
    ///
    /// - Parameters:
    ///   - presented: the user and session of the request's ID token, already authenticated.
    ///   - email: the canonical address that the e-mail goes to.
    ///   - client: the keyed hash of the client's network address.
    ///   - store: the transaction.
    func standing(
        of presented: (user: User, session: Session)?,
        askingFor email: String,
        from client: String,
        in store: some AccountStore
    ) throws -> AskerStanding {
        AskerStanding(
            hasHistory: presented.map { AskerStanding.isHistory($0.user, $0.session, at: store.now) } ?? false,
            signedInBefore: try store.isKnownClient(
                try knownClient(client, of: email),
                since: store.now - KnownClient.life
            )
        )
    }
}
