internal import Accounts
internal import Network
internal import Synchronization

/// Asks the hooks whether a merge may happen: all at once, outside any transaction, five seconds in all.
final class MergeQuestions: Sendable {
    /// How long the hooks have, all together, in milliseconds.
    static let patience = 5000
    /// How many questions may be open at a time; each waits on a thread.
    private static let limit = 64

    private let hooks: [String: HookConfiguration]
    private let gate: AddressGate
    private let clock: @Sendable () -> Int64
    private let open = Mutex(0)

    init(_ configuration: Configuration, clock: @escaping @Sendable () -> Int64) {
        hooks = Dictionary(uniqueKeysWithValues: configuration.hooks.map { ($0.name, $0) })
        gate = configuration.hookGate
        self.clock = clock
    }

    /// Runs a body while there is room for one more merge's questions.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER where there is none.
    func withRoom<Result>(_ body: () async throws -> Result) async throws -> Result {
        let count = max(1, hooks.count)
        let hasRoom = open.withLock { open in
            guard open + count <= max(Self.limit, count) else { return false }
            open += count
            return true
        }
        guard hasRoom else { throw Refusal(.tooManyAttempts, retryAfter: Self.patience / 1000, limit: "heldMerges") }
        defer { open.withLock { $0 -= count } }
        return try await body()
    }

    /// Why the merge may not happen, in words fit for the client; `nil` if every hook agrees.
    ///
    /// The first refusal settles it; the others hear the outcome like everyone who was asked.
    func refusal(of questions: [HookMessage]) async -> String? {
        let (answers, answer) = AsyncStream<HookAnswer>.makeStream()
        // No task group, which would wait for its last child: a resolver that hangs holds a transfer beyond its time limit.
        let asking = questions.map { question in
            Task { _ = answer.yield(await ask(question)) }
        }
        let deadline = Task {
            try? await Task.sleep(for: .milliseconds(Self.patience))
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
        return await HookCall(hook, gate: gate, timeout: Self.patience).send(question.id, question.payload, at: clock())
    }
}
