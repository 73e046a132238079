internal import AccountDatabase
internal import Accounts
internal import Database
internal import Network
internal import Tokens

/// An address or a network for which an operator lifts limits.
enum LiftedSubject: Sendable {
    case address(EmailAddress)
    case network(AddressRange)

    /// The maximum number of clients of a network, such as the addresses of an IPv4 /24.
    private static let mostClients = 256

    /// Parses an e-mail address, an IP address or a network; `nil` for another text.
    init?(_ text: String) {
        if let range = AddressRange(text) {
            self = .network(range)
        } else if let address = try? EmailAddress(parsing: text) {
            self = .address(address)
        } else {
            return nil
        }
    }

    /// The subject for people.
    var text: String {
        switch self {
        case .address(let address): address.canonical
        case .network(let range): range.description
        }
    }

    /// Whether limits can be lifted: a network has at most 256 clients, as an IPv4 /24 or an IPv6 /56.
    var isSmall: Bool {
        switch self {
        case .address: true
        case .network(let range): range.clients(atMost: Self.mostClients) != nil
        }
    }

    /// The clients of a network as limits count them.
    fileprivate static func clients(of range: AddressRange) -> [IPAddress] {
        range.clients(atMost: mostClients) ?? []
    }
}

extension AccountFlows {
    /// Lifts what limits, denials and suppressions refuse to an address or a small network, on all nodes.
    func lift(
        _ subject: LiftedSubject,
        secrets: ServerSecrets,
        in transaction: Transaction
    ) throws -> LiftedLimits {
        switch subject {
        case .address(let address): return try liftLimits(ofAddress: address, in: transaction)
        case .network(let range):
            let clients = LiftedSubject.clients(of: range)
            let hashes = try clients.map { try KeyedHash.make($0.description, purpose: "limits", secrets: secrets) }
            // The label under which the trace shows these clients.
            let label = clients.first.map { NetworkLabel.make(.site(of: $0), secrets) } ?? ""
            let lifted = try liftLimits(ofClients: hashes, label: label, in: transaction)
            try LiftedNetworks.add(range, in: transaction)
            return lifted
        }
    }
}
