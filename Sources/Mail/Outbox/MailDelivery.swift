internal import Synchronization
package import Transfer

/// Takes mails from the outbox and hands them to the mail server.
///
/// Any number of nodes may run one on the same outbox. `run()` works until `stop()`; `wake()` makes it look at once.
package final class MailDelivery: Sendable {
    struct Job: Sendable {
        let mail: LeasedMail
        let payload: MailPayload
    }

    struct State {
        var health = ServerHealth()
        var pace = SendingPace()
        var inHand = 0
        var isStopping = false
    }

    let outbox: any Outbox
    let composer: MailComposer
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

    /// - Parameters:
    ///   - outbox: the queue.
    ///   - composer: makes the mails.
    ///   - smtp: the server.
    ///   - settings: how many, how long, how often.
    ///   - worker: a name that no other delivery on the same outbox has, drawn at random for instance.
    ///   - onEvent: told what happens, from any thread; it must not block.
    package init(
        outbox: any Outbox,
        composer: MailComposer,
        smtp: SMTPConfiguration,
        settings: DeliverySettings = DeliverySettings(),
        worker: String,
        onEvent: @escaping @Sendable (MailEvent) -> Void
    ) {
        self.outbox = outbox
        self.composer = composer
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

    /// Says that a mail was queued; cheap, from any thread.
    package func wake() {
        signal.yield()
    }

    /// Makes `run()` return after the mails in hand; those taken but not begun go back.
    ///
    /// From any thread, also before `run()`.
    package func stop() {
        state.withLock { $0.isStopping = true }
        release(jobs.close())
        signal.finish()
    }

    /// As `stop()`, but does not wait for a silent mail server: the mails in hand go back too.
    package func abandon() {
        stop()
        giveUp.cancel()
    }

    /// Delivers until `stop()` or cancellation, then writes down what is left to write.
    ///
    /// Once only.
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

    /// Looks at the queue now and then, whether or not anybody said something.
    private func tick() async {
        while !Task.isCancelled {
            signal.yield()
            try? await Task.sleep(for: .milliseconds(settings.poll))
        }
    }

    /// How many mails to have in hand, beside those that are being sent.
    var batch: Int {
        let pace = state.withLock { $0.pace }
        return pace.batch(workers: max(1, settings.workers), most: settings.batch)
    }

    /// Gives mails back that nobody has begun.
    func release(_ jobs: [Job]) {
        recorder.note(jobs.map { MailOutcome(id: $0.mail.id, result: .released) })
    }
}
