internal import Tokens

extension AccountFlows {
    /// Counts a mail against its address and the client that asks for it.
    ///
    /// One client may use at most half of what an address may get, so that nobody locks a stranger out of their mailbox.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func countMail(to email: String, from client: String, in store: some AccountStore) throws {
        let denials = policy.denialsPerClient
        let denied = try store.used("denials:\(client)", in: denials.window)
        guard denied.used < denials.count else { throw tooMany(denied.untilReset, limit: "limits.denialsPerClient") }

        let address = try KeyedHash.make(email, purpose: "limits", secrets: secrets)
        let perAddress = policy.mailsPerAddress
        try count("mails:\(client)", policy.mailsPerClient, named: "limits.mailsPerClient", in: store)
        try count("mails:\(address)", perAddress, named: "limits.mailsPerAddress", in: store)
        try count(
            "mails:\(address):\(client)",
            Limit(count: max(1, perAddress.count / 2), window: perAddress.window),
            named: "limits.mailsPerAddress",
            in: store
        )
    }

    /// Counts one use and refuses it beyond the limit, which takes the count back.
    ///
    /// - Parameter limitName: the setting of the limit, for the log.
    func count(_ name: String, _ limit: Limit, named limitName: String? = nil, in store: some AccountStore) throws {
        let counted = try store.count(name, in: limit.window)
        guard counted.used <= limit.count else { throw tooMany(counted.untilReset, limit: limitName) }
    }

    /// The refusal for a limit whose window ends after so many milliseconds.
    ///
    /// - Parameter limit: the setting of the limit, for the log.
    func tooMany(_ untilReset: Int64, limit: String? = nil) -> Refusal {
        Refusal(.tooManyAttempts, retryAfter: Int(untilReset / 1000) + 1, limit: limit)
    }
}
