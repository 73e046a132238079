/// The deletions that an erasure makes beside that of the user, each with the number of deleted rows.
package protocol ErasureStore {
    /// Waits for the requests for e-mails to these addresses that are in progress, and makes later ones wait until this
    /// transaction ends.
    ///
    /// - Parameter hashes: the keyed hashes that known clients are stored by (``KnownClientStore``).
    func excludeRequests(forAddresses hashes: [String]) throws
    /// Counts what the deletion of a user deletes with it: sessions, identities, documents and usernames.
    func countOwned(by uid: String) throws -> [ErasedData: Int]
    /// Returns the waiting e-mails in sealed form.
    func waitingPayloads() throws -> [(mail: String, payload: String)]
    /// Deletes e-mails by their ids, those of tickets for the addresses, and those that failed for the mailboxes, given
    /// by the keyed hashes of their addresses.
    func eraseMails(_ ids: [String], ofTicketsTo addresses: [String], mailboxes: [String]) throws -> Int
    /// Deletes the links of the tickets for the addresses, and of those that the user's sessions requested.
    func eraseSignInLinks(of uid: String, addresses: [String]) throws -> Int
    /// Deletes the other links of a user, and those for the addresses.
    func eraseOtherLinks(of uid: String, addresses: [String]) throws -> Int
    /// Deletes the tickets for the addresses, and those that the user's sessions requested.
    func eraseTickets(of uid: String, addresses: [String]) throws -> Int
    /// Deletes the reports of merges into a user.
    func eraseMerges(of uid: String) throws -> Int
    /// Deletes the known clients of an address, which is given by its keyed hashes.
    func eraseKnownClients(ofAddresses hashes: [String]) throws -> Int
    /// Deletes the suppression of a mailbox, which is given by the keyed hash of its address.
    func eraseSuppression(of mailbox: String) throws -> Int
    /// Deletes counters.
    func eraseCounters(_ names: [CounterName]) throws -> Int
    /// Ensures that no counters of these names were stored since this transaction began, once it has deleted those that
    /// it sees.
    ///
    /// - Throws: an error, possibly from a later call, after which the caller runs again.
    func requireAbsence(ofCounters names: [String]) throws
}

/// The names of counters to delete.
package enum CounterName: Sendable, Equatable {
    /// A name, and all names that begin with it and a colon.
    case beginning(String)
    /// The names that begin with one text, and end with a colon and another.
    case between(String, ending: String)
}
