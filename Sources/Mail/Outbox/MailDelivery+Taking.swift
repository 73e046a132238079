internal import Accounts
internal import Synchronization
internal import Transfer

/// Taking mails from the outbox, a batch at a time, while the one before is being sent.
extension MailDelivery {
    /// Takes what is due, as long as there is room and the server seems well.
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
            keeper.hold(mails.map(\.id), since: asked)
            guard await prepare(mails) else { return }
            // Fewer than asked for: that was all.
            if mails.count < limit { return }
        }
    }

    /// How many mails to take now; nil for none.
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

    /// Has the outbox decide about mails, and queues those to send; false if it could not.
    private func prepare(_ mails: [LeasedMail]) async -> Bool {
        let decisions: [MailPreparation]
        do {
            decisions = try await keeper.reach(isShort: false) { try await outbox.prepare(mails, worker: worker) }
        } catch {
            onEvent(.queueUnreadable(error: "\(type(of: error))"))
            recorder.note(mails.map { MailOutcome(id: $0.id, result: .released) })
            return false
        }
        var new: [Job] = []
        for (mail, decision) in zip(mails, decisions) {
            switch decision {
            case .send(let payload): new.append(Job(mail: mail, payload: payload))
            case .moot:
                recorder.note([MailOutcome(id: mail.id, result: .moot)])
                onEvent(.moot(id: mail.id, kind: mail.queued.kind))
            case .fail(let reason):
                recorder.note([MailOutcome(id: mail.id, result: .failed(reason: reason))])
                onEvent(.failed(id: mail.id, kind: mail.queued.kind, reason: reason))
            case .noMailbox(let reason):
                let result = MailOutcome.Result.noMailbox(address: mail.queued.to, isNews: false, reason: reason)
                recorder.note([MailOutcome(id: mail.id, result: result)])
                onEvent(.failed(id: mail.id, kind: mail.queued.kind, reason: reason))
            }
        }
        guard jobs.add(new) else {
            release(new)
            return false
        }
        return true
    }
}
