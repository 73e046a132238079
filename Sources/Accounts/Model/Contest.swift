/// A dispute about an account that was taken over: the owner of its old address objects.
package struct Contest: Sendable, Equatable {
    /// When the owner of the old address objected, in milliseconds since 1970.
    package let since: Int64
    /// The old address, whose owner has proven it by the objection.
    package let oldEmail: String

    /// Makes a contest from its parts.
    package init(since: Int64, oldEmail: String) {
        self.since = since
        self.oldEmail = oldEmail
    }
}

/// The address that keeps a contested account.
package enum KeptAddress: String, Sendable, CaseIterable {
    /// The account's current address, whose owner took the account over.
    case new
    /// The account's earlier address, whose owner objected (``Contest/oldEmail``).
    case old
}
