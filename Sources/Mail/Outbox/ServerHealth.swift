/// Whether the mail server can be used, as far as its last answers tell.
///
/// When it cannot, everything pauses for a while and then one mail tries: an outage costs no mail its attempts.
package struct ServerHealth: Sendable {
    /// How long to wait between trials.
    package struct Pauses: Sendable {
        /// For a server that is away, in milliseconds.
        package var unavailable = RetrySchedule(first: 1000, longest: 30_000)
        /// For a server that refuses us, where trying often would only get us locked out.
        package var misconfigured = RetrySchedule(first: 30_000, longest: 300_000)

        package init() {}
    }

    private enum State: Sendable {
        case healthy
        case paused(until: ContinuousClock.Instant)
        case trying
    }

    private var state = State.healthy
    /// Pauses in a row.
    private var pauses = 0
    /// Connections lost in a row in the middle of a mail: one may be that mail's fault.
    private var losses = 0

    package init() {}

    /// How many mails may be taken now.
    ///
    /// - Parameters:
    ///   - wanted: how many there is room for.
    ///   - isIdle: whether no mail is in hand.
    ///   - now: the present.
    /// - Returns: at most `wanted`.
    package mutating func allowance(wanted: Int, isIdle: Bool, now: ContinuousClock.Instant) -> Int {
        switch state {
        case .healthy: return wanted
        case .paused(let until) where now < until: return 0
        case .paused, .trying:
            state = .trying
            return isIdle ? min(1, wanted) : 0
        }
    }

    /// Whether mails that were taken already should go back.
    package var isPaused: Bool {
        if case .paused = state { true } else { false }
    }

    /// Notes that a server answered as it should, whatever it said about the mail; true if that is news.
    package mutating func answered() -> Bool {
        losses = 0
        pauses = 0
        guard case .trying = state else { return false }
        state = .healthy
        return true
    }

    /// Notes a failure that is not a refusal of one mail.
    ///
    /// - Returns: the pause that begins now, in milliseconds; nil if there is none or it is on already.
    package mutating func failed(
        _ failure: Failure,
        _ lengths: Pauses,
        random: Double,
        now: ContinuousClock.Instant
    ) -> Int64? {
        if failure == .lost, case .healthy = state {
            losses += 1
            guard losses >= 3 else { return nil }
        }
        guard !isPaused else { return nil }
        let schedule = failure == .refused ? lengths.misconfigured : lengths.unavailable
        let length = schedule.delay(attempts: pauses, random: random)
        pauses += 1
        losses = 0
        state = .paused(until: now + .milliseconds(length))
        return length
    }

    package enum Failure: Sendable {
        /// No connection, no greeting, no TLS.
        case away
        /// The server does not want us.
        case refused
        /// The connection was lost in the middle of a mail.
        case lost
    }
}
