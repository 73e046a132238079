/// Work that one node at a time does for all nodes, under a lease.
package enum SharedWork: String, Sendable {
    /// Deletes due guests.
    case cleanUp = "clean-up"
    /// Deletes expired rows other than guests: old tickets, codes, e-mails, sessions, hook messages and the like.
    case purge

    /// The milliseconds after which a working node loses its lease unless it renews it.
    package static let lease: Int64 = 10_000
}
