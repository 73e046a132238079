import Accounts
import Database

/// What became of one operation.
struct Entry: Sendable {
    enum Outcome: Sendable {
        case answered(Answer)
        /// The call was refused, and nothing of it was kept.
        case refused(String)
        /// A call that gets 503: it may be kept or not.
        case unknown(String)
        /// An error that a client must never see.
        case failed(String)
    }

    let number: Int
    let operation: Operation
    /// Whether a node of the version before ran the operation.
    let isOlder: Bool
    /// The number of attempts, of which the last one has the outcome.
    let attempts: Int
    /// When the last attempt began, and when the answer arrived.
    var began: ContinuousClock.Instant
    let ended: ContinuousClock.Instant
    /// The time of the transaction.
    let now: Int64
    let outcome: Outcome
    /// Whether other operations were part of the transaction.
    let isShared: Bool
    /// The time of the commit by the server's clock, in microseconds; `nil` if nothing was kept.
    var committedAt: Int64?
    /// Whether the operation was seen to wait for a lock.
    var hasWaited = false

    /// Whether the call was refused, and nothing of it was kept.
    var isRefused: Bool {
        if case .refused = outcome { true } else { false }
    }

    /// The answer as text; `nil` if any answer will do.
    var text: String? {
        switch outcome {
        case .answered(let answer): "answered \(answer.text)"
        case .refused(let refusal): "refused \(refusal)"
        case .unknown, .failed: nil
        }
    }

    /// The user whose tokens the operation revoked; `nil` if it revoked none.
    var revokedUID: String? {
        guard case .answered(let answer) = outcome else { return nil }
        return answer.lessons.lazy.compactMap { lesson in
            if case .revoked(let uid) = lesson { uid } else { nil }
        }.first
    }

    /// The sessions that the operation began.
    var begun: [KnownSession] {
        guard case .answered(let answer) = outcome else { return [] }
        return answer.lessons.compactMap { lesson in
            if case .session(let session) = lesson { session } else { nil }
        }
    }
}

extension Entry.Outcome {
    /// Judges the result of a transaction of a node of the version before.
    ///
    /// There, two serializable transactions that insert the same key may end with a violation of the key in place of a
    /// conflict. Nothing of them is kept.
    init(olderNode result: Result<Answer, any Error>) {
        self.init(result)
        if case .failed(let error) = self, case .failure(let cause as DatabaseError) = result,
            case .constraint = cause.kind
        {
            self = .unknown(error)
        }
    }

    /// Judges the result of a transaction.
    init(_ result: Result<Answer, any Error>) {
        switch result {
        case .success(let answer): self = .answered(answer)
        case .failure(let refusal as Refusal):
            let parts = [refusal.detail ?? "", refusal.retryAfter.map(String.init) ?? "", refusal.mergeReport ?? ""]
            self = .refused("\(refusal.code.rawValue) \(parts)")
        case .failure(let rolledBack as RolledBackAnswer): self = .refused("dry run \(rolledBack.answer.text)")
        case .failure(let error as DatabaseError):
            switch error.kind {
            case .conflict, .busy, .timeout, .overloaded, .unavailable, .outcomeUnknown: self = .unknown("\(error)")
            default: self = .failed("\(error)")
            }
        case .failure(let error): self = .failed("\(error)")
        }
    }
}
