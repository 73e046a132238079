/// One of the two counters of wrong sign-in codes that all nodes share, each for one minute.
///
/// A breaker that is full pauses codes for its tickets until the minute ends. Links and approvals continue. There are two,
/// so that guesses on the tickets of strangers do not pause codes for clients that the server has reason to trust.
package enum CodeBreaker: String, Sendable, CaseIterable {
    /// Serves tickets whose asker is unknown.
    case strangers
    /// Serves tickets whose asker had history, or whose address had signed in from the asking client before.
    case known

    /// One minute, in milliseconds.
    package static let window: Int64 = 60_000

    /// The name of its row in `limits`.
    package var counter: String { "wrong-codes:installation:\(rawValue)" }
}

/// What a node has in memory about full breakers: until when each pauses codes.
///
/// Milliseconds since 1970; a breaker that is missing has not been seen full.
package struct CodePauses: Sendable, Equatable {
    private var ends: [CodeBreaker: Int64] = [:]

    /// No pauses.
    package init() {}

    /// When a breaker's pause ends; `nil` where the breaker pauses nothing.
    package func end(of breaker: CodeBreaker, at now: Int64) -> Int64? {
        guard let end = ends[breaker], now < end else { return nil }
        return end
    }

    /// Records that a breaker is full until a time.
    ///
    /// - Returns: whether this pause is new.
    package mutating func record(_ breaker: CodeBreaker, until end: Int64) -> Bool {
        guard ends[breaker].map({ $0 < end }) ?? true else { return false }
        ends[breaker] = end
        return true
    }
}

/// A breaker that a transaction has seen full.
package struct FullBreaker: Sendable, Equatable {
    package let breaker: CodeBreaker
    /// When its minute ends, in milliseconds since 1970.
    package let end: Int64
}
