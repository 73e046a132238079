/// The clients that addresses have signed in from.
package protocol KnownClientStore {
    /// Stores that addresses have signed in from clients now, if the records' users still exist and have the addresses,
    /// and deletes each address's oldest clients beyond ``KnownClient/mostPerAddress``.
    ///
    /// A client that is already stored is renewed only if its record is older than ``KnownClient/renewal``.
    func recordKnownClients(_ records: [KnownClientRecord]) throws
    /// Deletes all clients of addresses, given by the keyed hashes of the addresses.
    func deleteKnownClients(ofAddresses addresses: [String]) throws
}
