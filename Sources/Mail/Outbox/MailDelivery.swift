internal import Accounts
internal import LeasedQueue
internal import Synchronization
package import Transfer

/// Leases e-mails from the outbox and passes them to the mail server.
///
/// Any number of nodes may run a delivery on the same outbox. `run()` works until `stop()`; `wake()` makes it check the
/// queue at once.
package final class MailDelivery: Sendable {
    struct Job: Sendable {
        let mail: LeasedMail
        let payload: MailPayload
    }

    struct State {
        var health = ServerHealth()
        var pace = SendingPace()
        var inHand = 0
        /// When the last ``MailEvent/senderRefused(reason:)`` was reported; `nil` if none was.
        var senderRefusedAt: ContinuousClock.Instant?
        var isStopping = false
    }

    let outbox: any Outbox
    private let currentComposer: Current<MailComposer>
    let smtp: SMTPConfiguration
    let settings: DeliverySettings
    let worker: String
    let keeper: LeaseKeeper
    let recorder: OutcomeRecorder
    let jobs = WorkList<Job>()
    let state = Mutex(State())
    let onEvent: @Sendable (MailEvent) -> Void
    let giveUp = Cancellation()
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// Creates a delivery, which does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - outbox: the queue.
    ///   - composer: composes the e-mails.
    ///   - smtp: the mail server.
    ///   - settings: limits and times.
    ///   - worker: a name that is unique among the deliveries on the outbox, such as a random one.
    ///   - onEvent: receives events on any thread; it must not block.
    package init(
        outbox: any Outbox,
        composer: MailComposer,
        smtp: SMTPConfiguration,
        settings: DeliverySettings = DeliverySettings(),
        worker: String,
        onEvent: @escaping @Sendable (MailEvent) -> Void
    ) {
        self.outbox = outbox
        currentComposer = Current(composer)
        self.smtp = smtp
        self.settings = settings
        self.worker = worker
        self.onEvent = onEvent
        keeper = LeaseKeeper(
            milliseconds: settings.lease,
            renewal: { try await outbox.renew($0, worker: worker, milliseconds: settings.lease) },
            onLoss: { onEvent(.lost(count: $0)) }
        )
        recorder = OutcomeRecorder(
            outbox,
            worker: worker,
            keeper: keeper,
            gathering: .milliseconds(settings.gathering),
            patience: .milliseconds(settings.stopPatience),
            onEvent: onEvent
        )
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var composer: MailComposer {
        _read { yield currentComposer.value }
    }

    /// Composes e-mails in another way from now on.
    package func use(_ composer: MailComposer) {
        currentComposer.replace(composer)
    }

    /// Makes `run()` check the queue at once, because an e-mail was queued.
    ///
    /// The call is cheap and may come from any thread.
    package func wake() {
        signal.yield()
    }

    /// Makes `run()` return once the e-mails that are being sent are finished.
    ///
    /// Leased e-mails that were not started are released for other workers. Call it from any thread, also before
    /// `run()`.
    package func stop() {
        state.withLock { $0.isStopping = true }
        release(jobs.close())
        signal.finish()
    }

    /// Stops without waiting for a silent mail server, and cuts the connections to it.
    ///
    /// E-mails that are being sent are released too, except those that the server may have accepted already, which are
    /// retried later.
    package func abandon() {
        stop()
        giveUp.cancel()
    }

    /// Delivers until `stop()` or cancellation, then records the remaining outcomes.
    ///
    /// Call it only once.
    package func run() async {
        await withTaskCancellationHandler {
            await withTaskGroup { group in
                group.addTask { await self.keeper.run() }
                await self.deliverAndRecord()
                group.cancelAll()
            }
        } onCancel: {
            stop()
        }
    }

    private func deliverAndRecord() async {
        await withTaskGroup { group in
            group.addTask { await self.recorder.run() }
            await self.deliver()
            self.recorder.finish()
        }
    }

    private func deliver() async {
        await withTaskGroup { group in
            group.addTask { await self.tick() }
            for _ in 0..<max(1, settings.workers) { group.addTask { await self.send() } }
            for await _ in signals { await takeDue() }
            group.cancelAll()
        }
    }

    /// Polls the queue, with or without notifications.
    private func tick() async {
        while !Task.isCancelled {
            signal.yield()
            try? await Task.sleep(for: .milliseconds(settings.poll))
        }
    }

    /// The number of e-mails to lease in advance, in addition to those being sent.
    var batch: Int {
        let pace = state.withLock { $0.pace }
        return pace.batch(workers: max(1, settings.workers), most: settings.batch)
    }

    /// Makes e-mails that were certainly not sent due again at once, for any worker.
    func release(_ jobs: [Job]) {
        recorder.record(jobs.map { MailOutcome(id: $0.mail.id, result: .released) })
    }
}
