internal import Tokens

/// The client that asks for an e-mail.
struct MailAsker {
    /// The user and the session of the ID token that was presented.
    let presented: (user: User, session: Session)?
    let standing: AskerStanding
    /// Whether the presented user is in `administrators`.
    let isAdministrator: Bool
}

extension AccountFlows {
    /// Counts an e-mail against its mailbox and the client that asks for it, and authenticates the client.
    ///
    /// Takes one round trip.
    ///
    /// - Parameters:
    ///   - email: the canonical address that the e-mail goes to.
    ///   - client: the keyed hash of the client's network address.
    ///   - token: the ID token that was presented.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER, or those of ``authenticate(_:in:)``; they take the counts back.
    func countMail(
        to email: String,
        from client: String,
        by token: PresentedToken?,
        in store: some AccountStore
    ) throws -> MailAsker {
        let request = try MailRequest(to: email, from: client, sid: token?.sid, flows: self, at: store.now)
        let (raised, (found, running, administrators)) = try raise(request, in: store) { store in
            (
                try token.flatMap { try store.sessionAndUser($0.sid) }, try store.counters(request.denials),
                token == nil ? [] : try store.administrators()
            )
        }
        let presented = try token.map { try authenticate($0, as: found, in: store) }
        return MailAsker(
            presented: presented,
            standing: try check(request, raised, running, presented: presented, in: store),
            isAdministrator: presented.map { administrators.contains($0.user.uid) } ?? false
        )
    }

    /// Counts an e-mail against its mailbox and a client that is authenticated already, or presents nothing.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER, which takes the counts back.
    @discardableResult
    func countMail(
        to email: String,
        from client: String,
        presented: (user: User, session: Session)?,
        in store: some AccountStore
    ) throws -> AskerStanding {
        let request = try MailRequest(to: email, from: client, sid: presented?.session.sid, flows: self, at: store.now)
        let (raised, running) = try raise(request, in: store) { store in try store.counters(request.denials) }
        return try check(request, raised, running, presented: presented, in: store)
    }

    private func raise<Store: AccountStore, Answers>(
        _ request: MailRequest,
        in store: Store,
        beside questions: (Store) throws -> Answers
    ) throws -> (RaisedCounters, Answers) {
        try store.raise(
            request.counters.uses,
            of: request.knownAddress,
            unlessKnown: request.knownClient,
            since: store.now - KnownClient.life,
            beside: questions
        )
    }

    /// Refuses a request that was denied before, or that exceeds a limit.
    private func check(
        _ request: MailRequest,
        _ raised: RaisedCounters,
        _ running: [RunningCounter],
        presented: (user: User, session: Session)?,
        in store: some AccountStore
    ) throws -> AskerStanding {
        var standing = AskerStanding(
            hasHistory: presented.map { AskerStanding.isHistory($0.user, $0.session, at: store.now) } ?? false,
            signedInBefore: raised.isKnownClient
        )
        standing.hasHistoryLeft = standing.hasHistory && request.isHistoryLeft(running, at: store.now)
        /// When the counter that began less than `length` milliseconds ago ends.
        func end(of name: String?, after length: Int64) -> Int64? {
            guard let name, let counter = running.first(where: { $0.name == name }) else { return nil }
            return counter.since > store.now - length ? counter.since + length : nil
        }
        if let end = end(of: request.denialOfSession, after: policy.denialLife) {
            throw tooMany(end - store.now, limit: "denials")
        }
        if !standing.signedInBefore, let end = end(of: request.denialOfClient, after: policy.denialLife) {
            throw tooMany(end - store.now, limit: "denials")
        }
        let few = policy.mailsAfterDenials
        if !standing.hasHistory, let end = end(of: request.throttle, after: few.window) {
            // Its window began with the last denial, so that it goes on as long as it began within its length.
            let use = CounterUse(request.throttle, windowStart: store.now - few.window)
            guard try store.raise(use) <= few.count else {
                throw tooMany(end - store.now, limit: "limits.denialsPerClient")
            }
        }
        if let exceeded = request.counters.exceeded(by: raised.used) {
            throw tooMany(exceeded.end - store.now, limit: exceeded.setting)
        }
        return standing
    }

    /// The keyed hash of the mailbox behind an address, which names its counters.
    func mailboxHash(_ email: String) throws -> String {
        try KeyedHash.make(Mailbox.folded(email), purpose: "limits", secrets: secrets)
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
    package func tooMany(_ untilReset: Int64, limit: String? = nil) -> Refusal {
        Refusal(.tooManyAttempts, retryAfter: Int(untilReset / 1000) + 1, limit: limit)
    }
}

/// The names of everything that one request for an e-mail is judged by.
private struct MailRequest {
    let counters: MailCounters
    /// The keyed hashes of the address, and of the address with the client.
    let knownAddress, knownClient: String
    let denialOfSession: String?
    let denialOfClient: String
    let throttle: String
    /// The counter of the e-mails that the session's history spoke for.
    let history: String?

    init(to email: String, from client: String, sid: String?, flows: AccountFlows, at now: Int64) throws {
        let mailbox = try flows.mailboxHash(email)
        counters = MailCounters(of: mailbox, from: client, policy: flows.policy, at: now)
        knownAddress = try flows.knownAddress(email)
        knownClient = try flows.knownClient(client, of: email)
        denialOfSession = sid.map { flows.denial(of: $0, at: mailbox) }
        denialOfClient = flows.denial(of: client, at: mailbox)
        throttle = flows.throttle(of: client)
        history = sid.map(flows.historyName)
    }

    /// The counters that run while the asker is denied, and that of the history.
    var denials: [String] { [denialOfSession, denialOfClient, throttle, history].compactMap { $0 } }

    /// Whether the session's history may speak for another e-mail in this hour.
    func isHistoryLeft(_ running: [RunningCounter], at now: Int64) -> Bool {
        let limit = AccountFlows.mailsPerHistory
        guard let counter = running.first(where: { $0.name == history }) else { return true }
        return counter.since < now - now % limit.window || counter.used < limit.count
    }
}
