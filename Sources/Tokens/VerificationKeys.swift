/// The keys of one issuer by their ids.
package struct VerificationKeys: Sendable {
    /// In the order given; of keys with one id, only the first.
    package let all: [TokenVerificationKey]
    /// The key of tokens that name none; only where another issuer has one key and no more (OpenID Connect Core section 10.1).
    package let unnamed: TokenVerificationKey?
    private let byID: [[UInt8]: TokenVerificationKey]

    /// Takes an issuer's keys; of keys with one id, the first.
    package init(_ keys: [TokenVerificationKey]) {
        self.init(keys, unnamed: nil)
    }

    init(_ keys: [TokenVerificationKey], unnamed: TokenVerificationKey?) {
        var all: [TokenVerificationKey] = []
        var byID: [[UInt8]: TokenVerificationKey] = [:]
        for key in keys {
            // Bytes, not String: key ids are compared exactly, not by Unicode equivalence.
            let id = Array(key.keyID.utf8)
            guard byID[id] == nil else { continue }
            byID[id] = key
            all.append(key)
        }
        self.all = all
        self.byID = byID
        self.unnamed = unnamed
    }

    /// The key with an id; there is no other way to get at one, so an unknown id can never fall back to some key.
    package subscript(keyID: String) -> TokenVerificationKey? {
        byID[Array(keyID.utf8)]
    }
}
