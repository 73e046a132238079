/// The keys of one issuer by their IDs.
package struct VerificationKeys: Sendable {
    /// The keys in the order in which they were given.
    ///
    /// Of keys with the same ID, only the first is kept.
    package let all: [TokenVerificationKey]
    /// The key that verifies tokens without `kid`: the only key of another issuer (OpenID Connect Core section 10.1);
    /// nil if the issuer has several usable keys or none, and for the server's own keys.
    package let unnamed: TokenVerificationKey?
    private let byID: [[UInt8]: TokenVerificationKey]

    /// Creates a set of keys that verifies no tokens without `kid`.
    ///
    /// Of keys with the same ID, only the first is kept.
    package init(_ keys: [TokenVerificationKey]) {
        self.init(keys, unnamed: nil)
    }

    init(_ keys: [TokenVerificationKey], unnamed: TokenVerificationKey?) {
        var all: [TokenVerificationKey] = []
        var byID: [[UInt8]: TokenVerificationKey] = [:]
        for key in keys {
            // Bytes, not String: key IDs are compared exactly, not by Unicode equivalence.
            let id = Array(key.keyID.utf8)
            guard byID[id] == nil else { continue }
            byID[id] = key
            all.append(key)
        }
        self.all = all
        self.byID = byID
        self.unnamed = unnamed
    }

    /// Returns the key with exactly this ID; nil for an unknown ID, even if there is only one key.
    package subscript(keyID: String) -> TokenVerificationKey? {
        byID[Array(keyID.utf8)]
    }
}
