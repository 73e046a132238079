internal import Database

/// The locks of transactions at READ COMMITTED. docs/architecture.md says what each one protects.
extension RowLock {
    /// The session whose refresh token is exchanged, and its user.
    static let refreshedSession = RowLock("refreshed session")
    /// The ticket that a sign-in link is redeemed for, and the link's action code.
    static let redeemedTicket = RowLock("redeemed ticket")
    /// The owner of the address that was proven.
    static let owner = RowLock("owner of the address")
}
