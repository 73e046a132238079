/// A client that an address has just signed in from.
package struct KnownClient: Sendable, Equatable {
    package let uid: String
    /// The user's address, in canonical form.
    package let email: String
    /// The keyed hash of the client's network address.
    package let client: String
    /// Whether the address may have signed in before: not where the sign-in made its user.
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
    /// How old the record of a sign-in is before a new one replaces it: one day, in milliseconds.
    package static let renewal: Int64 = 86_400_000
    /// How many clients an address keeps.
    package static let mostPerAddress: Int64 = 8
}

/// A known client as the database keeps it, with its user, who must exist when the client is stored.
package struct KnownClientRecord: Sendable {
    package let uid: String
    package let email: String
    /// The keyed hash of the address.
    package let address: String
    /// The address's hashes under all secrets of the server, the newest first.
    package let addresses: [String]
    /// The keyed hash of the address with the client.
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
