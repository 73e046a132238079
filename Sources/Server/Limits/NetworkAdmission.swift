internal import Accounts
internal import HTTPServer
internal import Network
internal import Synchronization

/// The operator's lists of networks, as requests and limits ask them.
final class NetworkAdmission: ClientRules {
    private let lists: Current<NetworkLists>
    private let isBlocking: Atomic<Bool>

    init(_ lists: NetworkLists) {
        self.lists = Current(lists)
        isBlocking = Atomic(!lists.blocked.isEmpty)
    }

    /// Uses other lists from now on.
    func use(_ lists: NetworkLists) {
        self.lists.replace(lists)
        isBlocking.store(!lists.blocked.isEmpty, ordering: .relaxed)
    }

    var isActive: Bool { isBlocking.load(ordering: .relaxed) }

    /// Refuses requests of clients in a blocked network.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    func check(_ request: Request) throws {
        guard lists.value.blocked.contains(request.clientAddress) else { return }
        throw Refusal(.tooManyAttempts, retryAfter: 3600, limit: "lists.blockedNetworks")
    }

    /// Whether no limit of networks applies to a client.
    func isExempt(_ client: IPAddress) -> Bool { lists.value.allowed.contains(client) }
}
