/// A dispute about an account that was taken over: the owner of its old address objects.
package struct Contest: Sendable, Equatable {
    /// Milliseconds since 1970.
    package let since: Int64
    /// The old address, which the objection has proven.
    package let oldEmail: String

    /// Makes a contest from its parts.
    package init(since: Int64, oldEmail: String) {
        self.since = since
        self.oldEmail = oldEmail
    }
}

/// The address that keeps a contested account.
package enum KeptAddress: String, Sendable, CaseIterable {
    /// The present one.
    case new
    /// The one that objected.
    case old
}
