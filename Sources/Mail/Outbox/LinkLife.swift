/// What becomes of the link in a mail that had to wait.
package enum LinkLife: Sendable, Equatable {
    /// Long enough for a person to read the mail.
    case keep
    /// Make a new code for the same ticket.
    case renew
    /// A day has passed: nobody waits for this mail any more.
    case giveUp

    /// The least that is left of a link when its mail goes out, in milliseconds.
    package static let least: Int64 = 10 * 60 * 1000
    /// How long a mail is tried, in milliseconds.
    package static let patience: Int64 = 24 * 3600 * 1000

    /// The rule.
    ///
    /// - Parameters:
    ///   - expiry: when the link ends, in milliseconds since 1970; nil: the mail has none.
    ///   - queuedAt: when the mail was queued.
    ///   - now: the database's clock.
    package static func decide(expiry: Int64?, queuedAt: Int64, now: Int64) -> LinkLife {
        // Clocks and rows come from outside: no arithmetic that traps.
        guard now.subtractingReportingOverflow(queuedAt).partialValue < patience else { return .giveUp }
        guard let expiry else { return .keep }
        return expiry.subtractingReportingOverflow(now).partialValue < least ? .renew : .keep
    }
}
