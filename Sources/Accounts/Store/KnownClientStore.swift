/// The clients that addresses have signed in from.
package protocol KnownClientStore {
    /// Stores that an address has signed in from a client now, if the record's user still exists and has the address,
    /// and deletes the address's oldest clients beyond ``KnownClient/mostPerAddress``.
    ///
    /// A client that is already stored is renewed only if its record is older than ``KnownClient/renewal``.
    func noteKnownClient(_ record: KnownClientRecord) throws
    /// Deletes all clients of addresses, given by the keyed hashes of the addresses.
    func deleteKnownClients(ofAddresses addresses: [String]) throws
}
