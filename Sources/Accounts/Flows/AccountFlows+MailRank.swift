internal import Tokens

extension AccountFlows {
    /// How many e-mails an hour one session's history speaks for.
    static let mailsPerHistory = Limit.hourly(5)

    /// Announces what ``rank(_:for:in:)`` asks of a session, so that it costs no round trip of its own.
    func prefetchRank(for token: PresentedToken, in store: some AccountStore) throws {
        try store.foresee { store in
            _ = try store.sessionAndUser(token.sid)
            _ = try store.used(historyName(token.sid), in: Self.mailsPerHistory.window)
        }
    }

    /// Ranks an e-mail that a client asks for, and refuses it above the installation's ceiling.
    ///
    /// History speaks for five e-mails of a session in an hour. Any further one ranks, and is refused, as those of clients
    /// without history are.
    ///
    /// - Parameters:
    ///   - traffic: what the node knows of the request.
    ///   - presented: the user and session of the request's ID token, already authenticated.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func rank(
        _ traffic: MailTraffic,
        for presented: (user: User, session: Session)?,
        in store: some AccountStore
    ) throws -> MailRank {
        if traffic.isAdministrators { return MailRank(.known, at: store.now) }
        let isKnown = try presented.map { try hasHistoryLeft($0.user, $0.session, in: store) } ?? false
        guard !(isKnown ? traffic.refusesKnown : traffic.refusesUnknown) else {
            throw tooMany(traffic.untilReset, limit: MailTraffic.limit)
        }
        return MailRank(isKnown ? .known : .unknown, at: store.now, earlier: traffic.earlier)
    }

    /// Counts an e-mail that a session's history spoke for; to be called after everything that is read.
    func tally(_ rank: MailRank, of session: Session?, in store: some AccountStore) throws {
        guard rank.kind == .known, let session else { return }
        try store.tally(historyName(session.sid), in: Self.mailsPerHistory.window)
    }

    private func hasHistoryLeft(_ user: User, _ session: Session, in store: some AccountStore) throws -> Bool {
        guard AskerStanding.isHistory(user, session, at: store.now) else { return false }
        let limit = Self.mailsPerHistory
        return try store.used(historyName(session.sid), in: limit.window).used < limit.count
    }

    /// The counter of a session's e-mails that its history spoke for.
    private func historyName(_ sid: String) -> String { "history:\(sid)" }
}
