internal import AccountDatabase
internal import Accounts
internal import Database
internal import Network
internal import Tokens

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
    /// The maximum number of clients of a network, such as the addresses of an IPv4 /24.
    private static let mostClients = 256

    /// Lifts what limits, denials and suppressions refuse to a user, an address or a network.
    ///
    /// - Parameter subject: a UID, an e-mail address, a username, an IP address, or a network of at most 256 clients: an
    ///   IPv4 /24 or an IPv6 /56.
    /// - Throws: ``Failure/noSuchUser(_:)``, ``Failure/tooLarge(_:)``.
    package func lift(_ subject: String) throws -> LiftReport {
        if let range = AddressRange(subject) {
            guard let clients = range.clients(atMost: Self.mostClients) else { throw Failure.tooLarge(subject) }
            let hashes = try clients.map {
                try KeyedHash.make($0.description, purpose: "limits", secrets: store.secrets)
            }
            let label = try KeyedHash.make(range.description, purpose: "network", secrets: store.secrets).suffix(16)
            return try store.database.writeNow(alone: true) { [flows] transaction in
                let lifted = try flows.liftLimits(ofClients: hashes, label: String(label), in: transaction)
                try LiftedNetworks.add(range, in: transaction)
                return LiftReport(lifted)
            }
        }
        if let address = try? EmailAddress(parsing: subject) {
            return try store.database.writeNow(alone: true) { [flows] in
                LiftReport(try flows.liftLimits(ofAddress: address, in: $0))
            }
        }
        let uid = try uid(of: subject)
        let lifted = try store.database.writeNow(alone: true) { [flows] in try flows.liftLimits(ofUser: uid, in: $0) }
        guard let lifted else { throw Failure.noSuchUser(subject) }
        return LiftReport(lifted)
    }
}
