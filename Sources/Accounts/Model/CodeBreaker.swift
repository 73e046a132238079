/// One of the two counters of wrong sign-in codes that all nodes share, each for one minute.
///
/// A breaker is full at ``Policy/wrongCodesPerMinute``. It then pauses codes for its tickets until the minute ends;
/// links and approvals continue. There are two breakers, so that guesses on the tickets of unknown clients do not pause
/// codes for clients that the server has reason to trust.
package enum CodeBreaker: String, Sendable, CaseIterable {
    /// Serves tickets whose asker the server had no reason to trust (``AskerStanding/isTrusted``).
    case strangers
    /// Serves tickets whose asker the server had reason to trust when it requested the e-mail
    /// (``AskerStanding/isTrusted``).
    case known

    /// The time over which a breaker counts wrong codes: one minute, in milliseconds.
    package static let window: Int64 = 60_000

    /// The name of the breaker's counter in the table `limits`.
    package var counter: String { "wrong-codes:installation:\(rawValue)" }
}

/// The breakers that a node has seen full, each with the end of its pause in milliseconds since 1970.
package struct CodePauses: Sendable, Equatable {
    private var ends: [CodeBreaker: Int64] = [:]

    /// Makes a value without pauses.
    package init() {}

    /// Returns the end of a breaker's pause, in milliseconds since 1970; `nil` if the node remembers no pause.
    package func end(of breaker: CodeBreaker, at now: Int64) -> Int64? {
        guard let end = ends[breaker], now < end else { return nil }
        return end
    }

    /// Records that a breaker is full until a time.
    ///
    /// - Returns: whether the pause is new; `false` if the node remembers one that ends no earlier.
    package mutating func record(_ breaker: CodeBreaker, until end: Int64) -> Bool {
        guard ends[breaker].map({ $0 < end }) ?? true else { return false }
        ends[breaker] = end
        return true
    }
}

/// A breaker that a transaction has seen full.
package struct FullBreaker: Sendable, Equatable {
    package let breaker: CodeBreaker
    /// When the breaker's minute ends, in milliseconds since 1970.
    package let end: Int64
}
