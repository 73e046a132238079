/// The users' identities at providers.
package protocol IdentityStore {
    func identities(of uid: String) throws -> [Identity]
    /// Returns the identities of an address's owner; empty if the address has no owner.
    func identities(ofOwnerOf email: String) throws -> [Identity]
    func deleteIdentity(of uid: String, provider: String) throws
    /// Deletes all identities of a user.
    func deleteIdentities(of uid: String) throws
    /// Deletes a user's identities that were linked at a time or later, in milliseconds since 1970.
    func deleteIdentities(of uid: String, linkedSince time: Int64) throws
    /// Returns the identity with a subject at a provider, which at most one user has; `nil` if no user has it.
    func identity(_ subject: String, at provider: String) throws -> Identity?
    /// Returns the identity that was stored first among those with this address at their provider, of any user; `nil`
    /// if there is none.
    func identity(email: String) throws -> Identity?
    /// Stores an identity of its user, in place of any that the user has at the same provider.
    ///
    /// The time of linking becomes now, unless the user had the same identity already. The caller has made sure that no
    /// other user has (provider, subject).
    func put(_ identity: Identity) throws
    /// Records that a single-use token has been used: another issuer's token, or a solved challenge.
    ///
    /// - Parameters:
    ///   - digest: the token's SHA-256 as base64url.
    ///   - expiry: when the record may be deleted, because the token has expired, in milliseconds since 1970.
    /// - Returns: whether this was the first use.
    func spendToken(_ digest: String, until expiry: Int64) throws -> Bool
}
