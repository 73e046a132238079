/// A client that an address has just signed in from.
package struct KnownClient: Sendable, Equatable {
    package let uid: String
    /// The user's address, in canonical form.
    package let email: String
    /// The keyed hash of the client's network address.
    package let client: String
    /// Whether the address may have signed in before; false if the sign-in created its user.
    package let mayBeKnown: Bool

    /// Makes a known client from its parts.
    package init(uid: String, email: String, client: String, mayBeKnown: Bool = true) {
        self.uid = uid
        self.email = email
        self.client = client
        self.mayBeKnown = mayBeKnown
    }

    /// How long a client stays known after a sign-in: 90 days, in milliseconds.
    package static let life: Int64 = 90 * 86_400_000
    /// The minimum age of a record before a new sign-in replaces it: one day, in milliseconds.
    package static let renewal: Int64 = 86_400_000
    /// The maximum number of clients that an address keeps.
    package static let mostPerAddress: Int64 = 8
}

/// A known client to store: the hashes that the database keeps, and the user, who must still have the address then.
package struct KnownClientRecord: Sendable {
    package let uid: String
    package let email: String
    /// The keyed hash of the address, under the newest secret.
    package let address: String
    /// The keyed hashes of the address under all secrets of the server, the newest first.
    package let addresses: [String]
    /// The keyed hash of the address together with the client.
    package let client: String
    /// Whether the address may have records already.
    package let mayBeKnown: Bool

    /// Makes a record from its parts.
    package init(
        uid: String,
        email: String,
        address: String,
        addresses: [String],
        client: String,
        mayBeKnown: Bool
    ) {
        self.uid = uid
        self.email = email
        self.address = address
        self.addresses = addresses
        self.client = client
        self.mayBeKnown = mayBeKnown
    }
}
