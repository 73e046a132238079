extension AccountFlows {
    /// How many of a session's e-mails in an hour are ranked ``MailRank/Kind/known`` because the session has history
    /// (``AskerStanding/hasHistory``).
    static let mailsPerHistory = Limit.hourly(5)

    /// Ranks an e-mail that a client asks for, and refuses it above the installation's ceiling (``MailTraffic/limit``).
    ///
    /// The first five e-mails an hour of a session with history (``AskerStanding/hasHistory``) are ranked `known`.
    /// Further e-mails are ranked and refused like those of clients without history. An administrator's e-mail is
    /// always `known` and never refused.
    ///
    /// - Parameters:
    ///   - traffic: what the node knows of the request.
    ///   - standing: what the server knows of the client.
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

    /// Counts an e-mail against ``mailsPerHistory`` of the session that requested it if it was ranked `known`; does
    /// nothing without a session.
    func count(_ rank: MailRank, of session: Session?, in store: some AccountStore) throws {
        guard rank.kind == .known, let session else { return }
        try store.countUse(historyName(session.sid), in: Self.mailsPerHistory.window)
    }

    /// The name of the counter of a session's e-mails that were ranked `known` because the session has history
    /// (``AskerStanding/hasHistory``).
    func historyName(_ sid: String) -> String { "history:\(sid)" }
}
