internal import AccountDatabase
internal import Accounts
internal import Database
internal import JSON
internal import Mail
internal import Tokens

/// The outbox in the database, as the mail workers use it.
struct MailOutbox: Outbox {
    let database: any Database
    let flows: AccountFlows
    /// Returns the public URL, with which links start.
    let publicURL: @Sendable () -> String
    /// The sender's domain, which Message-IDs contain.
    let senderDomain: String
    let logger: Log
    /// Told the ids of tickets whose e-mails have failed, once that is committed.
    let ticketFailed: @Sendable (String) -> Void
    private let turns = MailTurnKeeper()
    private let horizon = MailHorizon()
    private let trials = MailTrials()

    /// The maximum number of postponed e-mails that one transaction makes due again, which keeps transactions short.
    private static let mostWoken = 1000
    /// The recorded reason for an e-mail that is not sent, because its address is suppressed.
    private static let suppressed =
        "not sent: within the last 30 days a mail server said that there is no such mailbox (5.1.x)"

    init(
        database: any Database,
        flows: AccountFlows,
        publicURL: @escaping @Sendable () -> String,
        senderDomain: String,
        logger: Log,
        ticketFailed: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.database = database
        self.flows = flows.acting(as: .server)
        self.publicURL = publicURL
        self.senderDomain = senderDomain
        self.logger = logger
        self.ticketFailed = ticketFailed
    }

    func lease(limit: Int, worker: String, milliseconds: Int64, takingOver: Bool) async throws -> [LeasedMail] {
        let look = horizon.beginLook()
        let (seen, now) = try await database.read(kind: "LookForMails") {
            (try $0.waitingMails(upTo: limit, takingOver: takingOver, from: look.lowest), $0.now)
        }
        guard !seen.isEmpty else {
            horizon.end(look, next: look.next(waiting: seen, leased: [:], at: now))
            return []
        }
        let (mails, turns, failed, next) = try await database.lease(kind: "LeaseMails") {
            [flows, logger, turns = turns.current] transaction in
            var look = look
            var waiting = seen
            if seen.hasPostponed {
                try transaction.wakePostponedMails(limit: Self.mostWoken)
                // They rank by the time at which they were due.
                look.lowest = LowestMailRanks()
                waiting = try transaction.waitingMails(upTo: limit, takingOver: takingOver)
            }
            var taken: [MailRank.Kind: [LeasedRow]] = [:]
            for (kind, share) in turns.shares(of: limit, waiting: waiting.counts) where share > 0 {
                taken[kind] = try transaction.leaseMails(
                    kind,
                    limit: share,
                    worker: worker,
                    milliseconds: milliseconds,
                    takingOver: takingOver,
                    from: look.lowest
                )
            }
            let next = look.next(waiting: waiting, leased: taken, at: now)
            var turns = turns
            var failed: [String] = []
            let mails = try turns.order(taken).compactMap { row -> LeasedMail? in
                guard let queued = try? flows.open(row.payload, mail: row.mail) else {
                    // Sealed with a secret that the server no longer has, so it can never be read again.
                    let reason = "it was encrypted with a secret that the server no longer has"
                    if let ticket = try transaction.finishMail(row.id, worker: worker, as: .failed, reason: reason) {
                        let life = flows.policy.signInLinkLife
                        try transaction.record(.failed, ofMailFor: ticket, endingAfter: life)
                        failed.append(ticket)
                    }
                    logger("mail.failed", ("mail", .string(row.mail)), ("reason", .string(reason)))
                    return nil
                }
                return LeasedMail(id: row.id, attempts: Int(clamping: row.attempts), queued: queued)
            }
            return (mails, turns, failed, next)
        }
        horizon.end(look, next: next)
        self.turns.current = turns
        for ticket in failed { ticketFailed(ticket) }
        return mails
    }

    func renew(_ mails: [Int64], worker: String, milliseconds: Int64) async throws -> [Int64] {
        try await database.lease(kind: "RenewMails") {
            try $0.renewMails(mails, worker: worker, milliseconds: milliseconds)
        }
    }

    func prepare(_ mails: [LeasedMail], worker: String) async throws -> [MailPreparation] {
        let codes = try mails.map { _ in try TokenID.random() }
        let mailboxes = try mails.map { try flows.suppressionKey(of: $0.queued.to) }
        let (preparations, trials, failed) = try await database.write(kind: "PrepareMails") { transaction in
            try transaction.prefetch { transaction in
                _ = try transaction.suppressions(among: mailboxes)
                for mail in mails { try flows.prefetch(for: mail.queued, in: transaction) }
            }
            let suppressions = try transaction.suppressions(among: mailboxes)
            var trials: [Int64: String] = [:]
            var failed: [String] = []
            let preparations = try zip(zip(mails, mailboxes), codes).map { leased, code -> MailPreparation in
                let (mail, mailbox) = leased
                let suppression = suppressions.first { $0.mailbox == mailbox }
                let prepared: PreparedMail
                do {
                    prepared = try flows.prepare(mail.queued, code: code, in: transaction)
                } catch let refusal as Refusal {
                    // Fails this e-mail only, and not all e-mails of the batch.
                    return .fail("it can never be sent: \(refusal.code.rawValue)")
                }
                switch prepared {
                case .moot: return .moot
                case .expired: return .fail("the e-mail could not be delivered in time")
                case .send(let queued, _) where flows.policy.addressLists.objection(to: queued.to) != nil:
                    let objection = flows.policy.addressLists.objection(to: queued.to)
                    return .blocked(objection?.rawValue ?? "")
                case .send
                where try suppression.map {
                    try !flows.isTriedAgain(mail.queued.to, since: $0.triedAt, in: transaction)
                } ?? false:
                    // The notice of the change cannot be delivered, which the audit log records.
                    if mail.queued.kind.isNotice {
                        try flows.audit(
                            .noticeSuppressed,
                            uid: mail.queued.uid,
                            detail: mail.queued.id,
                            in: transaction
                        )
                    }
                    return .noMailbox(Self.suppressed)
                case .send(let queued, let digits):
                    if suppression != nil {
                        // Its ticket fails as if the e-mail were not sent, so that its client cannot tell from the
                        // answer, or from its time, that the address has an account (invariant 5).
                        try transaction.recordTrial(of: mailbox)
                        trials[mail.id] = mailbox
                        if let ticket = queued.ticket {
                            let life = flows.policy.signInLinkLife
                            try transaction.record(.failed, ofMailFor: ticket, endingAfter: life)
                            failed.append(ticket)
                        }
                    }
                    if queued.actionCode != mail.queued.actionCode, queued.kind == mail.queued.kind {
                        try transaction.replaceMail(mail.id, worker: worker, payload: try flows.seal(queued))
                    }
                    return .send(try payload(of: queued, digits: digits, now: transaction.now))
                }
            }
            return (preparations, trials, failed)
        }
        self.trials.add(trials)
        for ticket in failed { ticketFailed(ticket) }
        for (mail, preparation) in zip(mails, preparations) where mail.queued.kind.isNotice {
            guard case .noMailbox = preparation else { continue }
            let uid = mail.queued.uid.map { JSONValue.string($0) } ?? .null
            logger("notice.suppressed", ("uid", uid), ("mail", .string(mail.queued.id)))
        }
        return preparations
    }

    func record(_ outcomes: [MailOutcome], worker: String) async throws {
        let (sent, others) = (outcomes.filter { $0.result == .sent }, outcomes.filter { $0.result != .sent })
        let isolation: Isolation =
            others.isEmpty && sent.allSatisfy { trials[$0.id] == nil } ? .readCommitted : .serializable
        try await database.write(kind: "RecordMails", isolation: isolation) { transaction in
            try recordSent(sent, worker: worker, in: transaction)
            return try others.compactMap { try record($0, worker: worker, in: transaction) }
        } committed: { failed in
            trials.remove(outcomes.map(\.id))
            for ticket in failed { ticketFailed(ticket) }
        }
    }

    /// Records the e-mails that were sent, all in a few statements.
    private func recordSent(_ outcomes: [MailOutcome], worker: String, in transaction: Transaction) throws {
        let (tickets, existing) = try transaction.finishSentMails(outcomes.map(\.id).sorted(), worker: worker)
        // What was erased meanwhile gets no trace.
        try transaction.traceOfMails(outcomes.filter { existing.contains($0.id) }.compactMap(\.traceEntry))
        try transaction.record(.sent, ofMailsFor: tickets.sorted(), endingAfter: flows.policy.signInLinkLife)
        for mailbox in outcomes.compactMap({ trials[$0.id] }) { try transaction.endSuppression(of: mailbox) }
    }

    /// Records the outcome of an e-mail that was not sent.
    ///
    /// - Returns: the id of the ticket that has failed with its e-mail; `nil` if none has.
    private func record(_ outcome: MailOutcome, worker: String, in transaction: Transaction) throws -> String? {
        if let entry = outcome.traceEntry { try transaction.trace(entry) }
        let life = flows.policy.signInLinkLife
        switch outcome.result {
        case .sent: break
        case .moot:
            _ = try transaction.finishMail(outcome.id, worker: worker, as: .moot, reason: nil)
        case .blocked(let reason):
            // The ticket goes on as if the e-mail were sent, so that clients do not learn the lists.
            let ticket = try transaction.finishMail(outcome.id, worker: worker, as: .moot, reason: reason)
            if let ticket { try transaction.record(.sent, ofMailFor: ticket, endingAfter: life) }
        case .failed(let reason):
            let ticket = try transaction.finishMail(
                outcome.id,
                worker: worker,
                as: .failed,
                isTried: outcome.attempt?.isTried ?? false,
                reason: reason
            )
            if let ticket { try transaction.record(.failed, ofMailFor: ticket, endingAfter: life) }
            return ticket
        case .noMailbox(let address, let isNews, let reason):
            let mailbox = try flows.suppressionKey(of: address)
            let ticket = try transaction.finishMail(
                outcome.id,
                worker: worker,
                as: .failed,
                isTried: outcome.attempt?.isTried ?? false,
                reason: reason,
                mailbox: mailbox
            )
            if let ticket { try transaction.record(.failed, ofMailFor: ticket, endingAfter: life) }
            if isNews { try transaction.suppress(mailbox, for: AccountFlows.suppression) }
            return ticket
        case .retry(let milliseconds, let isCounted, let reason):
            try transaction.postponeMail(
                outcome.id,
                worker: worker,
                by: milliseconds,
                isCounted: isCounted,
                reason: reason
            )
        case .released:
            try transaction.postponeMail(outcome.id, worker: worker, by: 0, isCounted: false, reason: nil)
        }
        return nil
    }

    /// Makes an e-mail for sending, with the values for the placeholders of its template.
    ///
    /// - Parameters:
    ///   - mail: the queued e-mail.
    ///   - digits: the sign-in code; `nil` if the e-mail shows none.
    ///   - now: milliseconds since 1970.
    private func payload(of mail: QueuedMail, digits: String?, now: Int64) throws -> MailPayload {
        var values: [MailPlaceholder: String] = [
            .device: mail.device, .account: mail.account ?? "", .email: mail.to,
        ]
        values[.newEmail] = mail.newEmail ?? "–"
        values[.methods] = mail.methods ?? "–"
        values[.code] = digits
        values[.link] = link(of: mail)
        let left = max(0, (mail.linkExpiresAt ?? now) - now)
        // Hours and days are rounded down after adding a minute, and at least 1.
        values[.minutes] = String(flows.policy.signInLinkMinutes)
        values[.hours] = String(max(1, (left + 60_000) / 3_600_000))
        values[.days] = String(max(1, (left + 60_000) / 86_400_000))
        return MailPayload(
            kind: mail.kind == .signIn && digits == nil ? .signInLink : mail.kind,
            to: mail.to,
            locale: mail.locale,
            timeZone: mail.timeZone,
            values: values,
            messageID: MessageID(mail: mail.id, proof: try flows.messageProof(of: mail.id)).text(domain: senderDomain),
            queuedAt: mail.queuedAt
        )
    }

    private func link(of mail: QueuedMail) -> String? {
        guard let code = mail.actionCode, let purpose = try? flows.linkPurpose(of: mail) else { return nil }
        return ActionLink(
            purpose: purpose,
            code: code,
            locale: mail.locale,
            continueURL: mail.continueURL,
            requestID: mail.ticket
        ).url(publicURL: publicURL())
    }
}
