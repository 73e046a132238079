internal import AccountDatabase
internal import Database
internal import JSON
internal import LeasedQueue
internal import Synchronization

/// Sends the queued messages to hooks.
///
/// Each hook has a separate lane, so that a hook that does not answer delays no other.
///
/// Any number of nodes may deliver from the same database. A lane leases a few messages in the order in which they were
/// queued, so that no other node sends them, sends them at the same time, records their outcomes and continues with the
/// next.
final class HookDelivery: Sendable {
    /// The limits of delivery.
    struct Settings: Sendable {
        /// The maximum number of messages that are sent to one hook at the same time.
        var concurrency = 8
        /// The longest time for one message, in milliseconds.
        var timeout = 15_000
        /// The interval at which the queue is polled, beside signals.
        var poll = Duration.milliseconds(500)
        /// The pauses of a lane after a round in which every message ended with ``HookAnswer/failed(_:)``, in
        /// milliseconds.
        ///
        /// The first message after each pause is sent alone.
        var pauses = RetrySchedule(first: 250, longest: 60_000)
        /// The pause before a lane tries again to record outcomes, after any error of the database.
        var patience = Duration.seconds(1)
    }

    private let database: any Database
    private let retry: HookRetry
    private let clock: @Sendable () -> Int64
    private let logger: Log
    private let worker: String
    private let settings: Settings
    private let keeper: LeaseKeeper
    private let lanes: [Lane]
    private let isStopping = Atomic(false)

    /// Makes the delivery to all configured hooks, which sends nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: the hooks and the retry schedule.
    ///   - database: the database with the queue.
    ///   - clock: milliseconds since 1970, for the timestamp in messages.
    ///   - logger: logs errors.
    ///   - worker: a name that no other delivery on the same database has.
    ///   - settings: the limits of delivery.
    init(
        _ configuration: Configuration,
        database: any Database,
        clock: @escaping @Sendable () -> Int64,
        logger: Log,
        worker: String,
        settings: Settings = Settings()
    ) {
        self.database = database
        self.clock = clock
        self.logger = logger
        self.worker = worker
        self.settings = settings
        let retry = configuration.hookRetry
        self.retry = retry
        keeper = LeaseKeeper(
            milliseconds: retry.lease,
            renewal: { rows in
                try await database.lease(kind: "RenewHookMessages") {
                    try $0.renewMessages(rows, worker: worker, milliseconds: retry.lease)
                }
            },
            onLoss: { logger("hook.lease-lost", ("messages", .number(JSONNumber(Int64($0))))) }
        )
        lanes = configuration.hooks.map { hook in
            Lane(
                calls: (0..<settings.concurrency).map { _ in
                    HookCall(hook, gate: configuration.hookGate, timeout: settings.timeout)
                }
            )
        }
    }

    /// The connections to one hook, and the signal that messages to it may be due.
    private struct Lane: Sendable {
        let calls: [HookCall]
        let signals: AsyncStream<Void>
        let signal: AsyncStream<Void>.Continuation
        var hook: String { calls[0].hook.name }

        init(calls: [HookCall]) {
            self.calls = calls
            (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        }
    }

    /// The outcome of a message.
    private struct Outcome: Sendable {
        let message: LeasedHookMessage
        let answer: HookAnswer

        /// The reason why the message was not accepted; `nil` if it was accepted or its sending was cancelled.
        var reason: String? {
            switch answer {
            case .accepted, .cancelled: nil
            case .declined(let status, let reason): reason.map { "status \(status): \($0)" } ?? "status \(status)"
            case .failed(let reason): reason
            }
        }

        /// The ``reason`` for the log, but without the text from a hook's response, which may contain anything.
        var loggedReason: String? {
            if case .declined(let status, _) = answer { "status \(status)" } else { reason }
        }
    }

    /// Signals to the lanes of all hooks that a message was queued.
    ///
    /// Cheap, and callable from any thread.
    func wake() {
        for lane in lanes { lane.signal.yield() }
    }

    /// Makes `run()` return after the current messages.
    ///
    /// Cancelling the task of `run()` also stops the current messages, and returns them to the queue.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        for lane in lanes { lane.signal.finish() }
    }

    /// Delivers messages until ``stop()``; returns at once if no hook is configured.
    func run() async {
        guard !lanes.isEmpty else { return }
        await withTaskGroup { group in
            for lane in lanes { group.addTask { await self.run(lane) } }
            let ticking = Task { await self.tick() }, renewing = Task { await self.keeper.run() }
            await group.waitForAll()
            ticking.cancel()
            renewing.cancel()
        }
    }

    private func tick() async {
        while !Task.isCancelled {
            wake()
            try? await Task.sleep(for: settings.poll)
        }
    }

    private func run(_ lane: Lane) async {
        // The number of consecutive rounds in which every message failed.
        var silences = 0
        var pausedUntil = ContinuousClock.now
        for await _ in lane.signals where ContinuousClock.now >= pausedUntil {
            while !isStopping.load(ordering: .relaxed) {
                let limit = silences > 0 ? 1 : lane.calls.count
                guard let outcomes = await deliver(lane, limit: limit) else { break }
                guard outcomes.allSatisfy({ if case .failed = $0.answer { true } else { false } }) else {
                    silences = 0
                    continue
                }
                let pause = settings.pauses.delay(attempts: silences, random: .random(in: 0..<1))
                pausedUntil = .now + .milliseconds(pause)
                silences += 1
                break
            }
        }
    }

    /// Sends the next messages of a lane, and records their outcomes.
    ///
    /// - Returns: the outcomes; `nil` if no message is due or the queue cannot be read.
    private func deliver(_ lane: Lane, limit: Int) async -> [Outcome]? {
        let messages: [LeasedHookMessage]
        let asked = ContinuousClock.now
        do {
            messages = try await keeper.reach { try await take(limit, for: lane.hook) }
        } catch {
            logger("hook.queue-unreadable", ("reason", .string("\(type(of: error))")))
            return nil
        }
        guard !messages.isEmpty else { return nil }
        let rows = messages.map(\.row)
        keeper.own(rows, since: asked)
        let outcomes = await send(messages, lane.calls)
        keeper.finish(rows)
        await record(outcomes, of: lane.hook)
        keeper.drop(rows)
        return outcomes
    }

    private func take(_ limit: Int, for hook: String) async throws -> [LeasedHookMessage] {
        guard try await database.read(kind: "LookForHookMessages", { try $0.hasDueMessage(to: hook) }) else {
            return []
        }
        return try await database.lease(kind: "LeaseHookMessages") {
            [worker, retry, takingOver = keeper.takesOver] transaction in
            try transaction.leaseMessages(
                to: hook,
                limit: limit,
                worker: worker,
                milliseconds: retry.lease,
                takingOver: takingOver
            )
        }
    }

    private func send(_ messages: [LeasedHookMessage], _ calls: [HookCall]) async -> [Outcome] {
        await withTaskGroup(of: Outcome.self) { group in
            for (message, call) in zip(messages, calls) {
                group.addTask { [clock, keeper] in
                    // The lease may have expired because the database took long to respond, so another worker may have
                    // the message.
                    guard keeper.mayBegin(message.row) else { return Outcome(message: message, answer: .cancelled) }
                    return Outcome(message: message, answer: await call.send(message.id, message.payload, at: clock()))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Records the outcomes of messages, and retries after any error until the delivery stops, because a message
    /// without a recorded outcome is sent again.
    private func record(_ outcomes: [Outcome], of hook: String) async {
        // Drawn here, because the transaction may run again.
        let randoms = outcomes.map { _ in Double.random(in: 0..<1) }
        while true {
            do {
                try await keeper.reach(isShort: false) {
                    try await database.write(kind: "RecordHookMessages") { [self] transaction in
                        for (outcome, random) in zip(outcomes, randoms) {
                            try record(outcome, random: random, in: transaction)
                        }
                    }
                }
                break
            } catch {
                logger("hook.recording-failed", ("reason", .string("\(type(of: error))")))
                guard !isStopping.load(ordering: .relaxed), !Task.isCancelled else { return }
                try? await Task.sleep(for: settings.patience)
            }
        }
        for outcome in outcomes {
            guard let reason = outcome.loggedReason else { continue }
            logger(
                "hook.not-delivered",
                ("hook", .string(hook)),
                ("message", .string(outcome.message.id)),
                ("reason", .string(reason))
            )
        }
    }

    private func record(_ outcome: Outcome, random: Double, in transaction: Transaction) throws {
        let row = outcome.message.row
        guard let reason = outcome.reason else {
            guard outcome.answer == .cancelled else {
                return try transaction.finishMessage(row, worker: worker, as: .delivered, reason: nil)
            }
            return try transaction.postponeMessage(row, worker: worker, by: 0, isCounted: false, reason: nil)
        }
        let delay = RetrySchedule(first: retry.first, longest: retry.longest)
            .delay(attempts: Int(clamping: outcome.message.attempts), random: random)
        guard transaction.now + delay - outcome.message.createdAt < retry.life else {
            return try transaction.finishMessage(row, worker: worker, as: .failed, reason: reason)
        }
        try transaction.postponeMessage(row, worker: worker, by: delay, isCounted: true, reason: reason)
    }
}
