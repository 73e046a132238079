internal import Accounts
internal import JSON
internal import Synchronization

/// Remembers on this node which breakers are full, so that the node refuses sign-in codes without the database while
/// all breakers are full.
///
/// A breaker counts the wrong sign-in codes of a minute, and pauses codes when it is full.
///
/// The breakers themselves are rows of `limits`, which all nodes share (``CodeBreaker``). A node learns that a breaker
/// is full from the transaction that finds or makes it full. The log says when codes are paused and when they are
/// accepted again.
final class CodeBreakers: Sendable {
    private let logger: Log
    private let state = Mutex(CodePauses())
    private let news: AsyncStream<FullBreaker>
    private let newsInput: AsyncStream<FullBreaker>.Continuation

    /// Starts without any known pause.
    ///
    /// - Parameter logger: logs the beginning and the end of each pause.
    init(logger: Log) {
        self.logger = logger
        (news, newsInput) = AsyncStream.makeStream(of: FullBreaker.self, bufferingPolicy: .bufferingNewest(8))
    }

    /// The pauses of sign-in codes that this node knows of.
    var pauses: CodePauses { state.withLock { $0 } }

    /// Records a breaker that a transaction found full, and logs the pause if it is new.
    func learn(_ full: FullBreaker) {
        guard state.withLock({ $0.record(full.breaker, until: full.end) }) else { return }
        logger(
            "codes.paused",
            ("tickets", .string(full.breaker.rawValue)),
            ("until", .string(Timestamp.rfc3339(milliseconds: full.end)))
        )
        newsInput.yield(full)
    }

    /// Refuses a code without the database while every breaker is full.
    ///
    /// Which breaker serves a ticket is known only once the ticket has been read.
    ///
    /// - Throws: ``Refusal`` CODE_PAUSED.
    func check(at now: Int64) throws {
        let pauses = pauses
        let ends = CodeBreaker.allCases.compactMap { pauses.end(of: $0, at: now) }
        guard ends.count == CodeBreaker.allCases.count, let end = ends.min() else { return }
        throw Refusal(codePausedUntil: end, at: now)
    }

    /// Clears all pauses.
    func reset() {
        state.withLock { $0 = CodePauses() }
    }

    /// Logs the end of each pause, until its task is cancelled.
    func run(clock: @Sendable () -> Int64) async {
        var waiting: [FullBreaker] = []
        for await full in news {
            waiting.append(full)
            while let next = waiting.first, !Task.isCancelled {
                let left = next.end - clock()
                if left <= 0 {
                    waiting.removeFirst()
                    logger("codes.resumed", ("tickets", .string(next.breaker.rawValue)))
                } else {
                    try? await Task.sleep(for: .milliseconds(min(left, 250)))
                }
            }
        }
    }
}
