internal import Accounts
internal import LeasedQueue
internal import Synchronization
internal import Transfer

/// Leasing e-mails from the outbox, one batch while the previous one is being sent.
extension MailDelivery {
    /// Leases due e-mails and prepares them for the workers, until no more are due, more than half a batch waits,
    /// outcomes cannot be recorded, or the mail server may not be used.
    func takeDue() async {
        while let limit = room() {
            let asked = ContinuousClock.now
            let mails: [LeasedMail]
            do {
                mails = try await keeper.reach {
                    try await outbox.lease(
                        limit: limit,
                        worker: worker,
                        milliseconds: settings.lease,
                        takingOver: keeper.takesOver
                    )
                }
            } catch {
                return onEvent(.queueUnreadable(error: "\(type(of: error))"))
            }
            guard !mails.isEmpty else { return }
            keeper.own(mails.map(\.id), since: asked)
            guard await prepare(mails) else { return }
            // Fewer than requested means that no more are due.
            if mails.count < limit { return }
        }
    }

    /// Returns the number of e-mails to lease now; nil if none should be leased.
    private func room() -> Int? {
        guard !recorder.isBehind else { return nil }
        let waiting = jobs.count, batch = batch
        guard waiting <= batch / 2 else { return nil }
        let allowance = state.withLock { state in
            guard !state.isStopping else { return 0 }
            return state.health.allowance(
                wanted: max(1, batch - waiting),
                isIdle: waiting == 0 && state.inHand == 0,
                now: .now
            )
        }
        return allowance > 0 ? allowance : nil
    }

    /// Prepares leased e-mails, adds those to send to the workers' list, and records the outcome of the others.
    ///
    /// - Returns: `false` if the e-mails could not be prepared or the delivery is stopping; those to send were then
    ///   released.
    private func prepare(_ mails: [LeasedMail]) async -> Bool {
        let decisions: [MailPreparation]
        do {
            decisions = try await keeper.reach(isShort: false) { try await outbox.prepare(mails, worker: worker) }
        } catch {
            onEvent(.queueUnreadable(error: "\(type(of: error))"))
            recorder.record(mails.map { MailOutcome(id: $0.id, result: .released) })
            return false
        }
        var new: [Job] = []
        for (mail, decision) in zip(mails, decisions) {
            switch decision {
            case .send(let payload): new.append(Job(mail: mail, payload: payload))
            case .moot:
                recorder.record([MailOutcome(id: mail.id, result: .moot, attempt: MailAttempt(mail.queued))])
                onEvent(.moot(id: mail.queued.id, kind: mail.queued.kind))
            case .fail(let reason):
                let attempt = MailAttempt(mail.queued, detail: reason)
                recorder.record([MailOutcome(id: mail.id, result: .failed(reason: reason), attempt: attempt)])
                onEvent(.failed(id: mail.queued.id, kind: mail.queued.kind, reason: reason))
            case .blocked(let reason):
                let attempt = MailAttempt(mail.queued, detail: reason)
                recorder.record([MailOutcome(id: mail.id, result: .blocked(reason: reason), attempt: attempt)])
                onEvent(.moot(id: mail.queued.id, kind: mail.queued.kind))
            case .noMailbox(let reason):
                let result = MailOutcome.Result.noMailbox(address: mail.queued.to, isNews: false, reason: reason)
                let attempt = MailAttempt(mail.queued, detail: reason)
                recorder.record([MailOutcome(id: mail.id, result: result, attempt: attempt)])
                onEvent(.failed(id: mail.queued.id, kind: mail.queued.kind, reason: reason))
            }
        }
        guard jobs.add(new) else {
            release(new)
            return false
        }
        return true
    }
}
