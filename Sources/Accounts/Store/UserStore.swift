/// The users.
package protocol UserStore {
    func user(_ uid: String) throws -> User?
    func user(email: String) throws -> User?
    /// Returns the owner of an address that the holder of a sign-in link proves, and keeps other transactions from
    /// changing that user until this one ends.
    ///
    /// - Parameters:
    ///   - email: the address.
    ///   - code: the action code of the link. The result may be `nil` unless its ticket is for the address and can be
    ///     redeemed.
    func lockedOwner(of email: String, redeeming code: String) throws -> User?
    func insert(_ user: User) throws
    /// Stores new guests with their first sessions, which all begin now.
    func insertGuests(_ guests: [(user: User, session: Session)]) throws
    func update(_ user: User) throws
    /// Sets the user's ``User/lastRefreshAt`` to now, when a token is refreshed or another system's session exchanged.
    func touchUser(_ uid: String) throws
    /// Locks these users, so that other transactions that are about to change them wait instead of failing at the end.
    ///
    /// A transaction that changes more rows of a user than one, and not the user's own row first, calls this before:
    /// because all transactions lock rows in the same order, they do not deadlock. To insert a row with a foreign key to
    /// the user counts as a change: the key locks the user's row for all who insert one at once, and each of them would
    /// then wait for the others before it changes the user.
    ///
    /// A transaction that decides on a session or a user and changes neither calls this, too. Otherwise a refresh could
    /// replace the rows that it has read, and the server would not see that another transaction, which changes the new
    /// ones, comes after it (docs/architecture.md).
    func lockUsers(_ uids: [String]) throws
    /// Locks these users like ``lockUsers(_:)``, for a transaction at READ COMMITTED that adds rows which belong to them.
    ///
    /// A serializable transaction that deletes such rows, and that began before, runs again and sees the new ones.
    func renewUsers(_ uids: [String]) throws
    /// Deletes the user with their identities, documents and username, and records that the UID existed, and into which
    /// user it was merged, `nil` for none (``FormerUser``).
    ///
    /// E-mail links, tickets and known clients are not deleted. Neither are sessions, so that the devices of those that
    /// the caller has not deleted get TOKEN_EXPIRED.
    func deleteUser(_ uid: String, mergedInto successor: String?) throws
    /// Returns the record that is kept of a deleted or merged user; `nil` if the UID never existed or has been used
    /// again.
    func formerUser(_ uid: String) throws -> FormerUser?
    /// Deletes the record of a deleted user whose UID is about to be used again.
    func forgetFormerUser(_ uid: String) throws
}
