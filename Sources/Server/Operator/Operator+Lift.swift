internal import AccountDatabase
internal import Accounts
internal import Database

/// What a command has lifted.
package struct LiftReport: Sendable, Encodable {
    /// The number of counters and denials that were deleted.
    package let counters: Int
    /// Whether e-mails to the address were suppressed.
    package let suppression: Bool

    init(_ lifted: LiftedLimits) {
        counters = lifted.counters
        suppression = lifted.endsSuppression
    }
}

/// Lifting limits, denials and suppressions.
extension Operator {
    /// Lifts what limits, denials and suppressions refuse to a user, an address or a network.
    ///
    /// - Parameter subject: a UID, an e-mail address, a username, an IP address, or a network of at most 256 clients: an
    ///   IPv4 /24 or an IPv6 /56.
    /// - Throws: ``Failure/noSuchUser(_:)``, ``Failure/tooLarge(_:)``.
    package func lift(_ subject: String) throws -> LiftReport {
        if let found = LiftedSubject(subject) {
            guard found.isSmall else { throw Failure.tooLarge(subject) }
            return try store.database.writeNow(alone: true) { [flows, secrets = store.secrets] in
                LiftReport(try flows.lift(found, secrets: secrets, in: $0))
            }
        }
        let uid = try uid(of: subject)
        let lifted = try store.database.writeNow(alone: true) { [flows] in try flows.liftLimits(ofUser: uid, in: $0) }
        guard let lifted else { throw Failure.noSuchUser(subject) }
        return LiftReport(lifted)
    }
}
