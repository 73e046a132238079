package import LeasedQueue

/// Whether the mail server can be used, according to its last answers.
///
/// If it cannot be used, all delivery pauses for a while, and then a single e-mail is tried. During an outage, an
/// attempt therefore counts only for e-mails whose connection was lost while they were sent.
package struct ServerHealth: Sendable {
    /// The pauses of all delivery before a single e-mail is tried.
    package struct Pauses: Sendable {
        /// The pauses for a server that is unavailable or loses connections.
        package var unavailable = RetrySchedule(first: 1000, longest: 30_000)
        /// The pauses for a server that cannot be used as configured, where frequent trials could lead to a lockout.
        package var misconfigured = RetrySchedule(first: 30_000, longest: 300_000)

        package init() {}
    }

    private enum State: Sendable {
        case healthy
        case paused(until: ContinuousClock.Instant)
        case trying
    }

    private var state = State.healthy
    /// The number of pauses since the server last answered properly.
    private var pauses = 0
    /// The number of consecutive connections that were lost during an e-mail; the third causes a pause.
    ///
    /// A single loss may be that e-mail's fault.
    private var losses = 0

    package init() {}

    /// Returns the number of e-mails that may be leased now.
    ///
    /// - Parameters:
    ///   - wanted: how many there is room for.
    ///   - isIdle: whether no e-mail is being sent.
    ///   - now: the current time.
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

    /// Whether delivery is paused, so that leased e-mails should be released.
    ///
    /// A pause lasts until ``allowance(wanted:isIdle:now:)`` finds it over.
    package var isPaused: Bool {
        if case .paused = state { true } else { false }
    }

    /// Records that the mail server answered properly, whatever it said about the e-mail.
    ///
    /// - Returns: whether this ends an outage, because the answer was to the trial after a pause.
    package mutating func answered() -> Bool {
        losses = 0
        pauses = 0
        guard case .trying = state else { return false }
        state = .healthy
        return true
    }

    /// Records a failure that is not a rejection of one e-mail, and pauses all delivery if necessary.
    ///
    /// - Parameters:
    ///   - failure: what failed.
    ///   - lengths: the lengths of the pauses.
    ///   - random: a random number from 0 to 1, by which the schedule shortens the pause.
    ///   - now: the current time.
    /// - Returns: the pause that starts now, in milliseconds; nil if none starts, because one lasts already or the
    ///   failure is one of the first lost connections.
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

    /// What failed at the mail server.
    package enum Failure: Sendable {
        /// There was no connection, no greeting or no TLS, or the server rejected the session for now.
        case away
        /// The server cannot be used as configured, for any e-mail: for example, its certificate is not trusted, or it
        /// rejects the login.
        case refused
        /// The connection was lost while an e-mail was being sent.
        case lost
    }
}
