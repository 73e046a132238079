internal import Accounts
internal import Database
internal import JSON
internal import Mail
internal import Tokens

/// The outbox as the mail workers see it, kept in the database.
struct MailOutbox: Outbox {
    let database: any Database
    let flows: AccountFlows
    /// What links start with.
    let publicURL: @Sendable () -> String
    /// The sender's domain, in which Message-IDs are made.
    let senderDomain: String
    let logger: Log
    private let turns = MailTurnKeeper()

    /// How many postponed mails come back at once, so that no transaction grows long.
    private static let mostWoken = 1000
    /// Why a mail is not sent to an address that was refused lately.
    private static let suppressed =
        "not sent: within the last day the mail server said that there is no such mailbox (5.1.x)"

    init(
        database: any Database,
        flows: AccountFlows,
        publicURL: @escaping @Sendable () -> String,
        senderDomain: String,
        logger: Log
    ) {
        self.database = database
        self.flows = flows
        self.publicURL = publicURL
        self.senderDomain = senderDomain
        self.logger = logger
    }

    func lease(limit: Int, worker: String, milliseconds: Int64, takingOver: Bool) async throws -> [LeasedMail] {
        let seen = try await database.read { try $0.waitingMails(upTo: limit, takingOver: takingOver) }
        guard !seen.isEmpty else { return [] }
        let (mails, turns) = try await database.lease { [flows, logger, turns = turns.current] transaction in
            var waiting = seen
            if seen.hasPostponed {
                try transaction.wakePostponedMails(limit: Self.mostWoken)
                waiting = try transaction.waitingMails(upTo: limit, takingOver: takingOver)
            }
            var taken: [MailRank.Kind: [LeasedRow]] = [:]
            for (kind, share) in turns.shares(of: limit, waiting: waiting.counts) where share > 0 {
                taken[kind] = try transaction.leaseMails(
                    kind,
                    limit: share,
                    worker: worker,
                    milliseconds: milliseconds,
                    takingOver: takingOver
                )
            }
            var turns = turns
            let mails = try turns.order(taken).compactMap { row -> LeasedMail? in
                guard let queued = try? flows.open(row.payload, mail: row.mail) else {
                    // Sealed under a secret that is gone: it can never be read again.
                    let reason = "it was sealed under a secret that the server no longer has"
                    _ = try transaction.settleMail(row.id, worker: worker, as: .failed, reason: reason)
                    logger("mail.failed", ("mail", .string(row.mail)), ("reason", .string(reason)))
                    return nil
                }
                return LeasedMail(id: row.id, attempts: Int(clamping: row.attempts), queued: queued)
            }
            return (mails, turns)
        }
        self.turns.current = turns
        return mails
    }

    func renew(_ mails: [Int64], worker: String, milliseconds: Int64) async throws -> [Int64] {
        try await database.lease { try $0.renewMails(mails, worker: worker, milliseconds: milliseconds) }
    }

    func prepare(_ mails: [LeasedMail], worker: String) async throws -> [MailPreparation] {
        let codes = try mails.map { _ in try TokenID.random() }
        let mailboxes = try mails.map { try flows.suppressionKey(of: $0.queued.to) }
        let preparations = try await database.write { transaction -> [MailPreparation] in
            try transaction.foresee { transaction in
                _ = try transaction.suppressedMailboxes(among: mailboxes)
                for mail in mails { try flows.prefetch(for: mail.queued, in: transaction) }
            }
            let suppressed = try transaction.suppressedMailboxes(among: mailboxes)
            return try zip(zip(mails, mailboxes), codes).map { leased, code in
                let (mail, mailbox) = leased
                let prepared: PreparedMail
                do {
                    prepared = try flows.prepare(mail.queued, code: code, in: transaction)
                } catch let refusal as Refusal {
                    // Its own end, and not that of all mails that were taken with it.
                    return .fail("it can never be sent: \(refusal.code.rawValue)")
                }
                switch prepared {
                case .moot: return .moot
                case .expired: return .fail("the mail could not be delivered in time")
                case .send where suppressed.contains(mailbox):
                    // The change was told as far as it can be.
                    if mail.queued.kind.isNotice {
                        try transaction.audit(.noticeSuppressed, uid: mail.queued.uid, detail: mail.queued.id)
                    }
                    return .noMailbox(Self.suppressed)
                case .send(let queued, let digits):
                    if queued.actionCode != mail.queued.actionCode, queued.kind == mail.queued.kind {
                        try transaction.replaceMail(mail.id, worker: worker, payload: try flows.seal(queued))
                    }
                    return .send(payload(of: queued, digits: digits, now: transaction.now))
                }
            }
        }
        for (mail, preparation) in zip(mails, preparations) where mail.queued.kind.isNotice {
            guard case .noMailbox = preparation else { continue }
            let uid = mail.queued.uid.map { JSONValue.string($0) } ?? .null
            logger("notice.suppressed", ("uid", uid), ("mail", .string(mail.queued.id)))
        }
        return preparations
    }

    func record(_ outcomes: [MailOutcome], worker: String) async throws {
        try await database.write { transaction in
            for outcome in outcomes { try record(outcome, worker: worker, in: transaction) }
        }
    }

    private func record(_ outcome: MailOutcome, worker: String, in transaction: Transaction) throws {
        let life = flows.policy.signInLinkLife
        switch outcome.result {
        case .sent:
            let ticket = try transaction.settleMail(outcome.id, worker: worker, as: .sent, reason: nil)
            if let ticket { try transaction.note(.sent, ofMailFor: ticket, endingAfter: life) }
        case .moot:
            _ = try transaction.settleMail(outcome.id, worker: worker, as: .moot, reason: nil)
        case .failed(let reason):
            let ticket = try transaction.settleMail(outcome.id, worker: worker, as: .failed, reason: reason)
            if let ticket { try transaction.note(.failed, ofMailFor: ticket, endingAfter: life) }
        case .noMailbox(let address, let isNews, let reason):
            let mailbox = try flows.suppressionKey(of: address)
            let ticket = try transaction.settleMail(
                outcome.id,
                worker: worker,
                as: .failed,
                reason: reason,
                mailbox: mailbox
            )
            if let ticket { try transaction.note(.failed, ofMailFor: ticket, endingAfter: life) }
            if isNews { try transaction.suppress(mailbox, for: AccountFlows.suppression) }
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
    }

    /// What a mail's template shows.
    private func payload(of mail: QueuedMail, digits: String?, now: Int64) -> MailPayload {
        var values: [MailPlaceholder: String] = [
            .device: mail.device, .account: mail.account ?? "", .email: mail.to,
        ]
        values[.newEmail] = mail.newEmail ?? "–"
        values[.methods] = mail.methods ?? "–"
        values[.code] = digits
        values[.link] = link(of: mail)
        let left = max(0, (mail.linkExpiresAt ?? now) - now)
        // To the nearest; the sentences are in the plural.
        values[.minutes] = String(flows.policy.signInLinkMinutes)
        values[.hours] = String(max(2, (left + 60_000) / 3_600_000))
        values[.days] = String(max(2, (left + 60_000) / 86_400_000))
        return MailPayload(
            kind: mail.kind,
            to: mail.to,
            locale: mail.locale,
            values: values,
            messageID: MessageID.make(random: Base64URL.decode(mail.id) ?? [], domain: senderDomain),
            queuedAt: mail.queuedAt
        )
    }

    private func link(of mail: QueuedMail) -> String? {
        guard let code = mail.actionCode, let purpose = try? flows.linkPurpose(of: mail) else { return nil }
        return ActionLink(purpose: purpose, code: code, locale: mail.locale, continueURL: mail.continueURL)
            .url(publicURL: publicURL())
    }
}
