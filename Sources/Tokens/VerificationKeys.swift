/// The keys of one issuer by their ids.
package struct VerificationKeys: Sendable {
    /// In the order given; of keys with one id, only the first.
    package let all: [TokenVerificationKey]
    private let byID: [[UInt8]: TokenVerificationKey]

    package init(_ keys: [TokenVerificationKey]) {
        var byID: [[UInt8]: TokenVerificationKey] = [:]
        all = keys.filter { key in
            // Bytes, not String: key ids are compared exactly, not by Unicode equivalence.
            byID.updateValue(byID[Array(key.keyID.utf8)] ?? key, forKey: Array(key.keyID.utf8)) == nil
        }
        self.byID = byID
    }

    /// The key with an id; there is no other way to get at one, so an unknown id can never fall back to some key.
    package subscript(keyID: String) -> TokenVerificationKey? {
        byID[Array(keyID.utf8)]
    }
}
