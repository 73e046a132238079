/// What was lifted for a user, an address or a network.
package struct LiftedLimits: Sendable, Equatable {
    /// The number of counters and denials that were deleted.
    package var counters = 0
    /// Whether e-mails were suppressed, because a mail server reported the address as nonexistent.
    package var endsSuppression = false

    /// Makes the result of lifting nothing.
    package init() {}
}

extension AccountFlows {
    /// Lifts what limits, denials and suppressions refuse to a user and to the user's address.
    ///
    /// - Returns: what was lifted; `nil` if there is no such user.
    package func liftLimits(ofUser uid: String, in store: some AccountStore) throws -> LiftedLimits? {
        guard let user = try store.user(uid) else { return nil }
        var lifted = LiftedLimits()
        if let email = user.email { lifted = try lift(ofAddress: email, in: store) }
        lifted.counters += try store.eraseCounters(counterNames(ofUser: uid))
        try audit(.limitsLifted, uid: uid, detail: lifted.summary("user"), in: store)
        return lifted
    }

    /// Lifts what limits, denials and a suppression refuse to an address, whether or not a user has it.
    package func liftLimits(ofAddress email: EmailAddress, in store: some AccountStore) throws -> LiftedLimits {
        let lifted = try lift(ofAddress: email.canonical, in: store)
        let uid = try store.user(email: email.canonical)?.uid
        try audit(.limitsLifted, uid: uid, detail: lifted.summary("address"), in: store)
        return lifted
    }

    /// Lifts what limits and denials refuse to clients of a network, as far as the database counts it.
    ///
    /// - Parameters:
    ///   - clients: the keyed hashes of the clients' network addresses.
    ///   - label: names the network in the audit log.
    ///   - store: the transaction.
    package func liftLimits(
        ofClients clients: [String],
        label: String,
        in store: some AccountStore
    ) throws -> LiftedLimits {
        var lifted = LiftedLimits()
        lifted.counters = try store.eraseCounters(
            clients.flatMap { client -> [CounterName] in
                [
                    .beginning("mails:\(client)"), .beginning("denials:\(client)"), .beginning(throttle(of: client)),
                    .between("mails:", ending: client), .between("denied:", ending: client),
                    .between("wrong-codes:", ending: client),
                ]
            }
        )
        try audit(.limitsLifted, detail: lifted.summary("network \(label)"), in: store)
        return lifted
    }

    private func lift(ofAddress email: String, in store: some AccountStore) throws -> LiftedLimits {
        var lifted = LiftedLimits()
        lifted.counters = try store.eraseCounters(counterNames(ofAddress: email))
        for key in try traceKeys(of: email) where try store.eraseSuppression(of: key) > 0 {
            lifted.endsSuppression = true
        }
        return lifted
    }

    /// The names of the counters and denials of an address, given in canonical form.
    func counterNames(ofAddress email: String) throws -> [CounterName] {
        let mailbox = try mailboxHash(email)
        let names = ["mails", "mails-daily", "strangers", "strangers-daily", "denied", "notices"]
        return names.map { .beginning("\($0):\(mailbox)") } + [.beginning(try wrongCodesName(of: email))]
    }

    /// The names of the counters of a user.
    func counterNames(ofUser uid: String) -> [CounterName] {
        [.beginning("notices:\(uid)"), .beginning("custom:\(uid)")]
    }
}

extension LiftedLimits {
    fileprivate func summary(_ subject: String) -> String {
        "\(subject): counters \(counters)\(endsSuppression ? ", suppression" : "")"
    }
}
