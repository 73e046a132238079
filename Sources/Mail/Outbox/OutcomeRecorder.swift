internal import Dispatch
internal import LeasedQueue
internal import Synchronization

/// Records the outcomes of e-mails in the outbox, because an e-mail without a recorded outcome is sent twice.
///
/// The recorder writes an outcome at once, several together if they arrive faster than the database commits, and
/// retries while the database is unavailable.
final class OutcomeRecorder: Sendable {
    private struct State {
        var pending: [MailOutcome] = []
        var waiting: CheckedContinuation<Void, Never>?
        var isFinished = false
        var isBehind = false
        /// When the current write of outcomes started; nil while none is running.
        var writingSince: ContinuousClock.Instant?
    }

    /// The time from which a write is so slow that no more e-mails should be sent.
    private static let slowness = Duration.seconds(2)

    private let outbox: any Outbox
    private let worker: String
    private let keeper: LeaseKeeper
    private let gathering: Duration
    private let patience: Duration
    private let onEvent: @Sendable (MailEvent) -> Void
    private let state = Mutex(State())

    init(
        _ outbox: any Outbox,
        worker: String,
        keeper: LeaseKeeper,
        gathering: Duration,
        patience: Duration,
        onEvent: @escaping @Sendable (MailEvent) -> Void
    ) {
        self.outbox = outbox
        self.worker = worker
        self.keeper = keeper
        self.gathering = gathering
        self.patience = patience
        self.onEvent = onEvent
    }

    /// Whether outcomes cannot be recorded at present, so that no more e-mails should be sent.
    var isBehind: Bool {
        state.withLock { state in
            state.isBehind || state.writingSince.map { ContinuousClock.now - $0 > Self.slowness } ?? false
        }
    }

    /// Accepts outcomes and returns at once; ``run()`` writes them soon.
    func record(_ outcomes: [MailOutcome]) {
        guard !outcomes.isEmpty else { return }
        keeper.finish(outcomes.map(\.id))
        wake { $0.pending += outcomes }
    }

    /// Lets ``run()`` return once all accepted outcomes are written or given up.
    func finish() {
        wake { $0.isFinished = true }
    }

    /// Writes outcomes as they arrive, until ``finish()`` was called and none is left.
    func run() async {
        while let outcomes = await take() {
            state.withLock { $0.writingSince = .now }
            await write(outcomes)
            state.withLock { $0.writingSince = nil }
            keeper.drop(outcomes.map(\.id))
            // More outcomes arrived meanwhile, so e-mails are sent faster than the database commits, and a shared
            // commit pays off.
            if state.withLock({ !$0.pending.isEmpty && !$0.isFinished }) { try? await Task.sleep(for: gathering) }
        }
    }

    private func take() async -> [MailOutcome]? {
        while true {
            let (pending, isFinished) = state.withLock { state in
                defer { state.pending = [] }
                return (state.pending, state.isFinished)
            }
            if !pending.isEmpty { return pending }
            if isFinished { return nil }
            await withCheckedContinuation { continuation in
                let hasNews = state.withLock { state in
                    if !state.pending.isEmpty || state.isFinished { return true }
                    state.waiting = continuation
                    return false
                }
                if hasNews { continuation.resume() }
            }
        }
    }

    private func write(_ outcomes: [MailOutcome]) async {
        var delay = 50
        var deadline: ContinuousClock.Instant?
        while true {
            do {
                try await keeper.reach(isShort: false) { try await outbox.record(outcomes, worker: worker) }
                state.withLock { $0.isBehind = false }
                return
            } catch {
                let isFinished = state.withLock { state in
                    state.isBehind = true
                    return state.isFinished
                }
                onEvent(.recordingFailed(count: outcomes.count, error: "\(type(of: error))"))
                if isFinished, deadline == nil { deadline = .now + patience }
                if let deadline, .now >= deadline { return onEvent(.outcomesLost(count: outcomes.count)) }
                await Self.wait(milliseconds: delay)
                delay = min(delay * 2, 2000)
            }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits even in a cancelled task, where `Task.sleep` returns at once.
    private static func wait(milliseconds: Int) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { continuation.resume() }
        }
    }
}
