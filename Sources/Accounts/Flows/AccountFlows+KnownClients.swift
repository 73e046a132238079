internal import Tokens

// The hashes are made with the newest secret, and the client's network address is already hashed. After a rotation of
// the server's secret, a client is therefore unknown until the address signs in from it again.
extension AccountFlows {
    /// Prepares the record of a known client, with its hashes, outside a transaction.
    package func record(of client: KnownClient) throws -> KnownClientRecord {
        let addresses = try addressHashes(client.email)
        return KnownClientRecord(
            uid: client.uid,
            email: client.email,
            address: addresses.first ?? "",
            addresses: addresses,
            client: try knownClient(client.client, of: client.email),
            mayBeKnown: client.mayBeKnown
        )
    }

    /// Stores clients that addresses have signed in from.
    ///
    /// Skips records whose user no longer exists or has another address by now. The caller must have locked the users,
    /// so that a deletion in progress finishes first.
    package func remember(_ records: [KnownClientRecord], in store: some AccountStore) throws {
        try store.recordKnownClients(records.sorted { $0.client < $1.client })
    }

    /// Deletes the known clients of a user's address, because the user is deleted, loses the address or is taken over.
    func forgetClients(of user: User, in store: some AccountStore) throws {
        guard let email = user.email else { return }
        // In the same order as the recorder: first the user's row, then the clients' rows.
        try store.lockUsers([user.uid])
        try store.deleteKnownClients(ofAddresses: try addressHashes(email))
    }

    /// The keyed hash of an address with a client.
    ///
    /// - Parameters:
    ///   - client: the keyed hash of the client's network address.
    ///   - email: the canonical address, which is not folded, because another address of the same mailbox may belong to
    ///     another user.
    func knownClient(_ client: String, of email: String) throws -> String {
        // The key's own byte and 64 bits of the hash, enough for the few clients of one address.
        String(try KeyedHash.make("\(email)\n\(client)", purpose: "known-client", secrets: secrets).prefix(12))
    }

    /// The keyed hash of an address, under the newest secret.
    func knownAddress(_ email: String) throws -> String {
        Self.shortened(try KeyedHash.make(email, purpose: "known-address", secrets: secrets))
    }

    func addressHashes(_ email: String) throws -> [String] {
        try KeyedHash.all(email, purpose: "known-address", secrets: secrets).map(Self.shortened)
    }

    /// Shortens a hash to the key's own byte and 82 bits.
    ///
    /// Enough that no two addresses share them, and a sign-in writes fewer pages than with 256 bits.
    private static func shortened(_ hash: String) -> String { String(hash.prefix(15)) }
}
