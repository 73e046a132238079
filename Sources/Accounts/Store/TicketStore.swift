/// The tickets of sign-in e-mails.
package protocol TicketStore {
    func ticket(_ id: String) throws -> Ticket?
    /// Returns the ticket that the action code of a sign-in link belongs to, whatever the ticket's state; `nil` if
    /// there is no such code or a new e-mail replaced it.
    func ticket(ofCode code: String) throws -> Ticket?
    /// Returns a ticket like ``ticket(ofCode:)``, and keeps other transactions from changing it and the action code until
    /// this one ends.
    func lockedTicket(ofCode code: String) throws -> Ticket?
    /// Locks the tickets and action codes of sign-in links, and the owners of the addresses, without waiting for other
    /// transactions.
    ///
    /// Must not be called with SQLite, which has nothing to wait for.
    ///
    /// - Parameter links: the id of each link's action code, and the address that is presented with the link.
    /// - Returns: what was found of each link, in order.
    func lockedLinks(_ links: [(code: String, email: String)]) throws -> [LockedLink]
    /// Locks a ticket before rows of users, as all transactions do that change both.
    ///
    /// - Parameter ifApproved: whether a ticket in another state than approved is left alone.
    func lockTicket(_ id: String, ifApproved: Bool) throws
    /// Prefetches what ``SessionStore/sessionAndUser(_:)`` and the queries of users and identities will return for the
    /// session that asked for a ticket and for the owner of its address.
    ///
    /// Nothing needs to be known of the ticket but its id. ``assignPrefetchedUsers(to:)`` must follow.
    func prefetchUsers(ofTicket id: String) throws
    /// Lets the queries about the session that asked for a ticket, and about the owner of its address, return what
    /// ``prefetchUsers(ofTicket:)`` has prefetched.
    func assignPrefetchedUsers(to ticket: Ticket)
    /// Returns the tickets of an address that are open and have not expired, the newest first.
    func openTickets(of email: String, limit: Int64) throws -> [Ticket]
    func insert(_ ticket: Ticket) throws
    /// Stores the parts of a ticket that may change (states, end, counts, polling, redemption) if the stored ticket is
    /// still in the given state.
    ///
    /// - Returns: whether the ticket was in that state.
    func update(_ ticket: Ticket, from state: TicketState) throws -> Bool
    /// Stores a ticket like ``update(_:from:)``, without waiting for the answer of the database.
    ///
    /// The caller has locked the ticket, or its transaction is serializable. Should the ticket be in another state after
    /// all, the transaction runs again.
    func storeRedemption(of ticket: Ticket, from state: TicketState) throws
}

/// A sign-in link as a transaction that several redemptions share found it.
package enum LockedLink: Sendable {
    /// There is no such link, or a new e-mail replaced it.
    case missing
    /// Another transaction has locked the link or its ticket.
    case busy
    /// The ticket, which is locked, and the owner of the presented address.
    case locked(Ticket, OwnerOfAddress)
}

/// The owner of an address that is presented with a sign-in link.
package enum OwnerOfAddress: Sendable {
    /// No user has the address.
    case missing
    /// The owner is not locked, because another transaction has locked the user, or because the ticket is for another
    /// address or decided.
    case busy
    /// The owner, who is locked, and the owner's identities.
    case locked(User, [Identity])
}
