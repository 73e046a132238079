internal import Accounts
internal import Network
internal import Synchronization

/// Asks the hooks whether a merge may happen: all at once, outside any transaction, within a time limit for all of them.
final class MergeQuestions: Sendable {
    /// The maximum number of pending questions of all merges together, because each question blocks a thread.
    ///
    /// A single merge may have more, if more hooks are configured.
    private static let limit = 64

    private let hooks: [String: HookConfiguration]
    private let gate: AddressGate
    private let clock: @Sendable () -> Int64
    /// The time limit for all hooks together, in milliseconds.
    let patience: Int
    private let open = Mutex(0)

    init(_ configuration: Configuration, patience: Duration, clock: @escaping @Sendable () -> Int64) {
        self.patience = Int(patience / .milliseconds(1))
        hooks = Dictionary(uniqueKeysWithValues: configuration.hooks.map { ($0.name, $0) })
        gate = configuration.hookGate
        self.clock = clock
    }

    /// Runs a closure if there is room for the questions of one more merge.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER if there is no room.
    func withRoom<Result>(_ body: () async throws -> Result) async throws -> Result {
        let count = max(1, hooks.count)
        let hasRoom = open.withLock { open in
            guard open + count <= max(Self.limit, count) else { return false }
            open += count
            return true
        }
        guard hasRoom else { throw Refusal(.tooManyAttempts, retryAfter: patience / 1000, limit: "heldMerges") }
        defer { open.withLock { $0 -= count } }
        return try await body()
    }

    /// Asks the hooks, and returns the reason why the merge may not happen, as text for the client; `nil` if every hook
    /// agrees.
    ///
    /// The first refusal decides, and so does a hook that fails or does not answer in time. The caller must tell every
    /// hook the outcome.
    func refusal(of questions: [HookMessage]) async -> String? {
        let (answers, answer) = AsyncStream<HookAnswer>.makeStream()
        // A task group would wait for its last child: a resolver that hangs delays a transfer beyond its time limit.
        let asking = questions.map { question in
            Task { _ = answer.yield(await ask(question)) }
        }
        let deadline = Task {
            try? await Task.sleep(for: .milliseconds(patience))
            answer.finish()
        }
        defer {
            for task in asking { task.cancel() }
            deadline.cancel()
        }
        guard !questions.isEmpty else { return nil }
        var agreed = 0
        for await answer in answers {
            switch answer {
            case .accepted: agreed += 1
            case .declined(_, let reason?): return reason
            case .declined(_, nil): return "A service that takes part in merges refused."
            case .failed, .cancelled: return Self.silence
            }
            if agreed == questions.count { return nil }
        }
        return Self.silence
    }

    private static let silence = "A service that takes part in merges did not answer; try again later."

    private func ask(_ question: HookMessage) async -> HookAnswer {
        guard let hook = hooks[question.hook] else { return .failed("the configuration has no such hook") }
        return await HookCall(hook, gate: gate, timeout: patience).send(question.id, question.payload, at: clock())
    }
}
