internal import Tokens

/// What the server has found out about the client that requests an e-mail.
struct MailAsker {
    /// The user and the session of the ID token that was presented; `nil` without a token.
    let presented: (user: User, session: Session)?
    let standing: AskerStanding
    /// Whether the presented user is in `administrators`.
    let isAdministrator: Bool
}

extension AccountFlows {
    /// Counts an e-mail against its mailbox and the client that asks for it, and authenticates the client's ID token.
    ///
    /// - Parameters:
    ///   - email: the canonical address that the e-mail goes to.
    ///   - client: the keyed hash of the client's network address.
    ///   - isExempt: whether the client is in a network that no limit of networks applies to.
    ///   - token: the ID token that was presented, if any.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER, or those of ``authenticate(_:in:)``; both roll the counts
    ///   back.
    func countMail(
        to email: String,
        from client: String,
        isExempt: Bool = false,
        by token: PresentedToken?,
        in store: some AccountStore
    ) throws -> MailAsker {
        let request = try MailRequest(
            to: email,
            from: client,
            isExempt: isExempt,
            sid: token?.sid,
            flows: self,
            at: store.now
        )
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

    /// Counts an e-mail against its mailbox and the client that asks for it, which has been authenticated already or
    /// presents no token.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER, which rolls the counts back.
    @discardableResult
    func countMail(
        to email: String,
        from client: String,
        isExempt: Bool = false,
        presented: (user: User, session: Session)?,
        in store: some AccountStore
    ) throws -> AskerStanding {
        let request = try MailRequest(
            to: email,
            from: client,
            isExempt: isExempt,
            sid: presented?.session.sid,
            flows: self,
            at: store.now
        )
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

    /// Refuses a request for an e-mail whose session or client the address has denied, or that exceeds a limit.
    ///
    /// - Returns: what gives reason to trust the client.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func check(
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
        /// Returns the end of a counter that began less than `length` milliseconds ago; `nil` if it is not running.
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
            // The counter's window began with the last denial, so the counter continues if it began within the window's
            // length.
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

    /// The keyed hash of the mailbox behind an address (``Mailbox``), which names the mailbox's counters.
    func mailboxHash(_ email: String) throws -> String {
        try KeyedHash.make(Mailbox.folded(email), purpose: "limits", secrets: secrets)
    }

    /// Counts one use of the counter `name` in the limit's current window, and refuses it beyond the limit, which rolls
    /// the count back.
    ///
    /// - Parameter limitName: the name of the limit for the log: its setting, if it has one.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func count(_ name: String, _ limit: Limit, named limitName: String? = nil, in store: some AccountStore) throws {
        let counted = try store.count(name, in: limit.window)
        guard counted.used <= limit.count else { throw tooMany(counted.untilReset, limit: limitName) }
    }

    /// Makes the refusal TOO_MANY_ATTEMPTS_TRY_LATER for a limit.
    ///
    /// - Parameters:
    ///   - untilReset: the milliseconds until the limit no longer refuses; the client is told to retry after them.
    ///   - limit: the name of the limit for the log: its setting, if it has one.
    package func tooMany(_ untilReset: Int64, limit: String? = nil) -> Refusal {
        Refusal(.tooManyAttempts, retryAfter: Int(untilReset / 1000) + 1, limit: limit)
    }
}

/// The names of all counters that one request for an e-mail is checked against.
struct MailRequest {
    let counters: MailCounters
    /// The keyed hashes of the address, and of the address with the client, by which known clients are stored.
    let knownAddress, knownClient: String
    let denialOfSession: String?
    let denialOfClient: String
    let throttle: String
    /// The counter of the session's e-mails that were ranked `known` (``AccountFlows/historyName(_:)``).
    let history: String?

    init(
        to email: String,
        from client: String,
        isExempt: Bool,
        sid: String?,
        flows: AccountFlows,
        at now: Int64
    ) throws {
        let mailbox = try flows.mailboxHash(email)
        counters = MailCounters(of: mailbox, from: client, isExempt: isExempt, policy: flows.policy, at: now)
        knownAddress = try flows.knownAddress(email)
        knownClient = try flows.knownClient(client, of: email)
        denialOfSession = sid.map { flows.denial(of: $0, at: mailbox) }
        denialOfClient = flows.denial(of: client, at: mailbox)
        throttle = flows.throttle(of: client)
        history = sid.map(flows.historyName)
    }

    /// The counters to raise together with those of other requests.
    var rise: CounterRise { CounterRise(counters.uses, of: knownAddress, by: knownClient) }

    /// The names of the counters that run while the asker is denied, and of ``history``.
    var denials: [String] { [denialOfSession, denialOfClient, throttle, history].compactMap { $0 } }

    /// Whether another e-mail of the session may be ranked `known` in this hour (``AccountFlows/mailsPerHistory``).
    func isHistoryLeft(_ running: [RunningCounter], at now: Int64) -> Bool {
        let limit = AccountFlows.mailsPerHistory
        guard let counter = running.first(where: { $0.name == history }) else { return true }
        return counter.since < now - now % limit.window || counter.used < limit.count
    }
}
