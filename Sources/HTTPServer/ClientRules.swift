package import Network

/// Rules for the clients of a router, by their network addresses.
package protocol ClientRules: Sendable {
    /// Whether there are any rules now; if not, requests are not prepared for ``check(_:)``.
    var isActive: Bool { get }
    /// Refuses a request by its head, before its body is received.
    ///
    /// - Throws: the error to answer.
    func check(_ request: Request) throws
    /// Whether the limit of connections does not apply to a client.
    func isExempt(_ client: IPAddress) -> Bool
}
