extension AccountFlows {
    /// How many e-mails an hour one session's history speaks for.
    static let mailsPerHistory = Limit.hourly(5)

    /// Ranks an e-mail that a client asks for, and refuses it above the installation's ceiling.
    ///
    /// History speaks for five e-mails of a session in an hour. Any further one ranks, and is refused, as those of clients
    /// without history are.
    ///
    /// - Parameters:
    ///   - traffic: what the node knows of the request.
    ///   - standing: what speaks for the client.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func rank(_ traffic: MailTraffic, for standing: AskerStanding, in store: some AccountStore) throws -> MailRank {
        if traffic.isAdministrators { return MailRank(.known, at: store.now) }
        let isKnown = standing.hasHistoryLeft
        guard !(isKnown ? traffic.refusesKnown : traffic.refusesUnknown) else {
            throw tooMany(traffic.untilReset, limit: MailTraffic.limit)
        }
        return MailRank(isKnown ? .known : .unknown, at: store.now, earlier: traffic.earlier)
    }

    /// Counts an e-mail that a session's history spoke for.
    func tally(_ rank: MailRank, of session: Session?, in store: some AccountStore) throws {
        guard rank.kind == .known, let session else { return }
        try store.tally(historyName(session.sid), in: Self.mailsPerHistory.window)
    }

    /// The counter of a session's e-mails that its history spoke for.
    func historyName(_ sid: String) -> String { "history:\(sid)" }
}
