/// Work that one node at a time does for all, by a lease.
package enum SharedWork: String, Sendable {
    /// Removes the guests whose time is over.
    case cleanUp = "clean-up"
    /// Forgets what nobody needs any more.
    case purge

    /// Milliseconds after which a node that says nothing has lost its lease.
    package static let lease: Int64 = 10_000
}
