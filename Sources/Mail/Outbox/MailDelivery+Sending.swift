internal import Accounts
internal import LeasedQueue
internal import Synchronization
internal import Transfer

/// Sending: each worker has its own connection and sends one e-mail at a time.
extension MailDelivery {
    /// Sends e-mails from ``jobs`` one after the other until that list is closed; one of the workers runs each call.
    func send() async {
        let client = SMTPClient(smtp, cancellation: giveUp)
        while let first = await jobs.next() {
            await client.sendSeveral { [self] hand in
                var next: Job? = first
                while let job = next {
                    state.withLock { $0.inHand += 1 }
                    send(job, by: hand)
                    state.withLock { $0.inHand -= 1 }
                    // Requests more e-mails before the list is empty, or the next single trial during an outage.
                    if jobs.count <= batch / 2 { wake() }
                    next = jobs.nextIfAny()
                }
            }
        }
        await client.close()
    }

    private func send(_ job: Job, by hand: (SMTPMail) -> SMTPResult) {
        // The e-mail was leased before the trouble began, or its lease may be lost. It is released, because an e-mail
        // that is sent without a recorded outcome would be sent twice.
        guard !state.withLock({ $0.health.isPaused }), !recorder.isBehind, keeper.mayBegin(job.mail.id) else {
            return release([job])
        }
        let mail: SMTPMail
        do throws(MailComposer.Failure) {
            mail = try composer.compose(job.payload)
        } catch {
            return fail(job, reason: error.description)
        }
        let start = ContinuousClock.now
        let result = hand(mail)
        let time = ContinuousClock.now - start
        state.withLock { $0.pace.record(time) }
        switch result {
        case .accepted(let reply):
            let attempt = MailAttempt(job.mail.queued, detail: reply.traced(to: job.payload.to), isTried: true)
            recorder.record([MailOutcome(id: job.mail.id, result: .sent, attempt: attempt)])
            answered()
            onEvent(.sent(id: job.mail.queued.id, kind: job.payload.kind, milliseconds: Int64(time / .milliseconds(1))))
        case .failed(let failure): finish(job, failure)
        }
    }

    /// Records the outcome of an attempt that failed or whose result is unknown, and pauses all delivery if the server
    /// or the connection is to blame.
    private func finish(_ job: Job, _ failure: SMTPFailure) {
        // The worker itself cut the connection, so no attempt counts, and the e-mail was certainly not sent.
        if giveUp.isCancelled, failure.reply == nil, failure.kind != .ambiguous { return release([job]) }
        switch failure.kind {
        case .permanent:
            answered()
            let attempt = attempt(job, failure)
            guard failure.saysNoSuchMailbox else {
                return fail(job, reason: failure.description, attempt: attempt)
            }
            let reason = failure.description
            let result = MailOutcome.Result.noMailbox(address: job.payload.to, isNews: true, reason: reason)
            recorder.record([MailOutcome(id: job.mail.id, result: result, attempt: attempt)])
            onEvent(.failed(id: job.mail.queued.id, kind: job.payload.kind, reason: reason))
        case .unavailable: pause(.away, failure, job)
        case .misconfigured where failure.concernsConnection:
            onEvent(.misconfigured(reason: failure.description))
            pause(.refused, failure, job)
        case .misconfigured:
            answered()
            if failure.refusesSenderDomain {
                announceSenderRefusal(failure)
            } else {
                onEvent(.misconfigured(reason: failure.description))
            }
            postpone(job, settings.misconfiguredRetries, failure)
        case .transient, .ambiguous:
            if failure.kind == .ambiguous {
                onEvent(.outcomeUnknown(id: job.mail.queued.id, kind: job.payload.kind, reason: failure.description))
            }
            postpone(job, settings.retries, failure)
            if failure.reply == nil { pause(.lost, failure, nil) } else { answered() }
        }
    }

    /// Reports at most once an hour that mail servers refuse the sender's domain, because every e-mail to them says so.
    private func announceSenderRefusal(_ failure: SMTPFailure) {
        let now = ContinuousClock.now
        let isNews = state.withLock { state in
            if let last = state.senderRefusedAt, now - last < .seconds(3600) { return false }
            state.senderRefusedAt = now
            return true
        }
        if isNews { onEvent(.senderRefused(reason: failure.description)) }
    }

    /// Describes a failed attempt for the trace, with the mail server's reply.
    private func attempt(_ job: Job, _ failure: SMTPFailure) -> MailAttempt {
        let reply = failure.reply.map { "\(failure.step): \($0.traced(to: job.payload.to))" }
        return MailAttempt(job.mail.queued, detail: reply ?? failure.description, isTried: true)
    }

    private func fail(_ job: Job, reason: String, attempt: MailAttempt? = nil) {
        let attempt = attempt ?? MailAttempt(job.mail.queued, detail: reason)
        recorder.record([MailOutcome(id: job.mail.id, result: .failed(reason: reason), attempt: attempt)])
        onEvent(.failed(id: job.mail.queued.id, kind: job.payload.kind, reason: reason))
    }

    private func postpone(_ job: Job, _ schedule: RetrySchedule, _ failure: SMTPFailure) {
        let delay = schedule.delay(attempts: job.mail.attempts, random: .random(in: 0..<1))
        record(job, retryAfter: delay, isCounted: true, failure)
    }

    private func record(_ job: Job, retryAfter delay: Int64, isCounted: Bool, _ failure: SMTPFailure) {
        let reason = failure.description
        recorder.record([
            MailOutcome(
                id: job.mail.id,
                result: .retry(afterMilliseconds: delay, isCounted: isCounted, reason: reason),
                attempt: attempt(job, failure)
            )
        ])
        onEvent(.postponed(id: job.mail.queued.id, kind: job.payload.kind, reason: reason, milliseconds: delay))
    }

    /// Records a failure of the mail server, and pauses all delivery if ``ServerHealth`` says so.
    ///
    /// - Parameters:
    ///   - kind: what failed.
    ///   - failure: the failure of the transfer.
    ///   - job: the e-mail that revealed the problem, which waits as long, and whose attempt does not count; nil if the
    ///     e-mail has been postponed already.
    private func pause(_ kind: ServerHealth.Failure, _ failure: SMTPFailure, _ job: Job?) {
        let pause = state.withLock {
            $0.health.failed(kind, settings.pauses, random: .random(in: 0..<1), now: .now)
        }
        if let job { record(job, retryAfter: pause ?? settings.pauses.unavailable.first, isCounted: false, failure) }
        guard let pause else { return }
        onEvent(.serverUnavailable(reason: failure.description, milliseconds: pause))
        release(jobs.drain())
    }

    private func answered() {
        if state.withLock({ $0.health.answered() }) { onEvent(.serverRecovered) }
    }
}
