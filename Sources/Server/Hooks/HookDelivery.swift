internal import Database
internal import JSON
internal import Mail
internal import Synchronization

/// Sends the queued messages, each hook's in a lane of its own, so that a silent hook holds up nobody else.
///
/// Any number of nodes may run one on the same database. A lane takes a few messages in the order in which they were queued,
/// sends them at once, writes down what became of them and takes the next.
final class HookDelivery: Sendable {
    /// How messages are sent.
    struct Settings: Sendable {
        /// Messages to one hook at the same time.
        var concurrency = 8
        /// The longest time for one message, in milliseconds.
        var timeout = 15_000
        /// How often the queue is looked at when nobody says that there is something.
        var poll = Duration.milliseconds(500)
        /// How long a lane waits while its hook answers nothing; the first message after each wait goes alone.
        var pauses = RetrySchedule(first: 250, longest: 60_000)
        /// How long a lane waits for a database that is away.
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

    /// - Parameters:
    ///   - configuration: the hooks, and when they are tried again.
    ///   - database: where the messages are.
    ///   - clock: milliseconds since 1970, for the time that messages carry.
    ///   - logger: takes what goes wrong.
    ///   - worker: a name that no other delivery on the same database has.
    ///   - settings: how many at once, how long, how often.
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
                try await database.lease {
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

    /// One hook's way out.
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

    /// What became of a message.
    private struct Outcome: Sendable {
        let message: LeasedHookMessage
        let answer: HookAnswer

        /// What went wrong, if anything did.
        var reason: String? {
            switch answer {
            case .accepted, .cancelled: nil
            case .declined(let status, let reason): reason.map { "status \(status): \($0)" } ?? "status \(status)"
            case .failed(let reason): reason
            }
        }

        /// The same for the log, without the words of the hook, which may hold anything.
        var loggedReason: String? {
            if case .declined(let status, _) = answer { "status \(status)" } else { reason }
        }
    }

    /// Says that a message was queued; cheap, from any thread.
    func wake() {
        for lane in lanes { lane.signal.yield() }
    }

    /// Makes `run()` return after the messages in hand; cancelling its task makes it give those back too.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        for lane in lanes { lane.signal.finish() }
    }

    /// Delivers until `stop()`.
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
        // How often in a row the hook has answered nothing.
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

    /// Sends the next messages, and writes down what became of them.
    ///
    /// - Returns: `nil` if there are none.
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
        keeper.hold(rows, since: asked)
        let outcomes = await send(messages, lane.calls)
        keeper.settle(rows)
        await record(outcomes, of: lane.hook)
        keeper.drop(rows)
        return outcomes
    }

    private func take(_ limit: Int, for hook: String) async throws -> [LeasedHookMessage] {
        guard try await database.read({ try $0.hasDueMessage(to: hook) }) else { return [] }
        return try await database.lease { [worker, retry, takingOver = keeper.takesOver] transaction in
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
                    // Somebody else's by now, where the database took long to answer.
                    guard keeper.mayBegin(message.row) else { return Outcome(message: message, answer: .cancelled) }
                    return Outcome(message: message, answer: await call.send(message.id, message.payload, at: clock()))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Writes outcomes down, again and again while the database is away, because a message whose outcome is not recorded goes
    /// twice.
    private func record(_ outcomes: [Outcome], of hook: String) async {
        // Drawn here, because the transaction may run again.
        let randoms = outcomes.map { _ in Double.random(in: 0..<1) }
        while true {
            do {
                try await keeper.reach(isShort: false) {
                    try await database.write { [self] transaction in
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
                return try transaction.settleMessage(row, worker: worker, as: .delivered, reason: nil)
            }
            return try transaction.postponeMessage(row, worker: worker, by: 0, isCounted: false, reason: nil)
        }
        let delay = RetrySchedule(first: retry.first, longest: retry.longest)
            .delay(attempts: Int(clamping: outcome.message.attempts), random: random)
        guard transaction.now + delay - outcome.message.createdAt < retry.life else {
            return try transaction.settleMessage(row, worker: worker, as: .failed, reason: reason)
        }
        try transaction.postponeMessage(row, worker: worker, by: delay, isCounted: true, reason: reason)
    }
}
