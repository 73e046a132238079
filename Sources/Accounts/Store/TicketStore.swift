/// The tickets of sign-in e-mails.
package protocol TicketStore {
    func ticket(_ id: String) throws -> Ticket?
    /// Returns the ticket that the action code of a sign-in link belongs to, whatever the ticket's state; `nil` if
    /// there is no such code or a new e-mail replaced it.
    func ticket(ofCode code: String) throws -> Ticket?
    /// Returns a ticket like ``ticket(ofCode:)``, and keeps other transactions from changing it and the action code until
    /// this one ends.
    func lockedTicket(ofCode code: String) throws -> Ticket?
    /// Locks a ticket before rows of users, as all transactions do that change both.
    func lockTicket(_ id: String) throws
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
    func settle(_ ticket: Ticket, from state: TicketState) throws
}
