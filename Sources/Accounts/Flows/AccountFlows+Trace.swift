internal import Tokens

extension AccountFlows {
    /// Returns the keyed hashes by which the trace finds an address, in canonical form, under all secrets.
    package func traceKeys(of address: String) throws -> [String] {
        try KeyedHash.all(address, purpose: "mailboxes", secrets: secrets)
    }

    /// Returns the subject of the trace of a user: their sessions' requests, and those for their present address.
    package func traceSubject(of user: User) throws -> TraceSubject {
        .user(user.uid, addresses: try user.email.map(traceKeys) ?? [])
    }

    /// Writes that an e-mail was put in the outbox.
    ///
    /// The row is the same whether or not an account has the address (invariant 5).
    func traceQueued(_ mail: QueuedMail, from asker: TracedDevice, in store: some AccountStore) throws {
        try store.trace(
            TraceEntry(
                .queued,
                of: mail.ticket ?? mail.id,
                mail: mail.id,
                address: try suppressionKey(of: mail.to),
                uid: asker.uid ?? mail.uid,
                kind: mail.kind,
                device: mail.device.isEmpty ? nil : mail.device,
                network: asker.network
            )
        )
    }

    /// Writes an event of a request that a device caused.
    func trace(
        _ event: TraceEvent,
        of request: String,
        mail: String? = nil,
        by device: TracedDevice,
        detail: String? = nil,
        in store: some AccountStore
    ) throws {
        try store.trace(TraceEntry(event, of: request, mail: mail, by: device, detail: detail))
    }

    /// Writes the events of redemptions, after their transactions.
    ///
    /// Skips those of users who no longer exist. The caller must have locked the users, so that a deletion in progress
    /// finishes first.
    package func trace(redemptions: [TraceEntry], in store: some AccountStore) throws {
        try store.traceOfUsers(redemptions)
    }

    /// Writes that the link of an e-mail about an account was used or denied; does nothing for a link without an
    /// e-mail.
    func trace(
        _ event: TraceEvent,
        of code: StoredActionCode,
        by device: TracedDevice,
        in store: some AccountStore
    ) throws {
        guard let mail = code.mail else { return }
        try trace(event, of: mail, mail: mail, by: device, in: store)
    }
}
