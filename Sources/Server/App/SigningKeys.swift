package import AccountDatabase
internal import Crypto
package import Database
package import Tokens

/// The keys that sign ID tokens and session cookies: encrypted in the database, published before they sign, and retired
/// after the last token or cookie that they signed has expired.
package struct SigningKeys: Sendable {
    /// The time in milliseconds for which verifiers may cache the published keys: `max-age` of the JWKS.
    package static let publishedLife: Int64 = 3_600_000
    /// The time in milliseconds within which every node publishes a new key.
    ///
    /// Nodes usually need only seconds.
    static let spreading: Int64 = 60_000

    let sealer: Sealer

    /// Encrypts and decrypts the keys with the server's secrets.
    package init(secrets: ServerSecrets) {
        sealer = Sealer(secrets)
    }

    /// Why a key set is not usable.
    package enum Failure: Error, Sendable {
        /// There is no signing key.
        case noSigner
        /// The algorithm is none of ES256, EdDSA and RS256.
        case unknownAlgorithm(String)
    }

    /// Returns the current key set, and makes the first key if there is none.
    ///
    /// - Parameters:
    ///   - algorithm: the algorithm of the first key: `ES256`, `EdDSA` or `RS256`.
    ///   - transaction: the transaction, which writes only if there is no key.
    /// - Throws: ``Failure``, or the error of a key that cannot be decrypted.
    package func load(algorithm: String, in transaction: Transaction) throws -> KeySet {
        if try transaction.signingKeys().isEmpty {
            let first = try make(algorithm, signsFrom: transaction.now, at: transaction.now)
            try transaction.insert(first)
        }
        return try keySet(in: transaction)
    }

    /// Reads the current key set: all keys that are not retired verify, and the newest one that may already sign signs;
    /// if none may yet, the one that may first.
    ///
    /// - Parameters:
    ///   - transaction: the transaction.
    ///   - known: an earlier key set. Its keys are not decrypted again, because OpenSSL checks each private key that it
    ///     decodes, which takes it long for RSA; an ID means the same key for ever (RFC 7638).
    /// - Throws: ``Failure`` if there is no key or one has an unknown algorithm, or the error of a key that cannot be
    ///   decrypted.
    package func keySet(in transaction: Transaction, known: KeySet? = nil) throws -> KeySet {
        let keys = try transaction.signingKeys()
        guard let signer = keys.last(where: { $0.signsFrom <= transaction.now }) ?? keys.first else {
            throw Failure.noSigner
        }
        let others = try keys.filter { $0.kid != signer.kid }.map { key in
            try known?.verificationKeys[key.kid] ?? open(key).verificationKey
        }
        let knownSigner = known.map(\.signer).flatMap { $0.keyID == signer.kid ? $0 : nil }
        return KeySet(signer: try knownSigner ?? open(signer), others: others)
    }

    /// Makes a new key, and schedules the retirement of the others.
    ///
    /// The new key signs once every verifier has had time to fetch it. The others are retired one token life and one
    /// cache life after that, unless their retirement is already scheduled; if a session cookie that a key signed ends
    /// later, the key is kept until then.
    ///
    /// - Returns: the new key.
    /// - Throws: ``Failure`` `unknownAlgorithm` for an algorithm other than ES256, EdDSA and RS256, or the error of the
    ///   encryption.
    package func rotate(algorithm: String, in transaction: Transaction) throws -> StoredSigningKey {
        let signsFrom = transaction.now + Self.spreading + Self.publishedLife
        for key in try transaction.signingKeys() {
            try transaction.retireSigningKey(key.kid, at: signsFrom + IDTokens.life * 1000 + Self.publishedLife)
        }
        let key = try make(algorithm, signsFrom: signsFrom, at: transaction.now)
        try transaction.insert(key)
        return key
    }

    /// Encrypts with the newest secret every key that is encrypted with an older one.
    ///
    /// - Returns: the number of those keys.
    /// - Throws: the error of a key that cannot be decrypted, or of the encryption.
    package func reseal(in transaction: Transaction) throws -> Int {
        var count = 0
        for key in try transaction.signingKeys()
        where try !sealer.isSealedByNewest(key.privateKey, table: "signing_keys", column: "private_key", row: key.kid) {
            let opened = try sealer.openSecret(
                key.privateKey,
                table: "signing_keys",
                column: "private_key",
                row: key.kid
            )
            try transaction.resealSigningKey(key.kid, privateKey: try seal(opened, kid: key.kid))
            count += 1
        }
        return count
    }

    private func make(_ algorithm: String, signsFrom: Int64, at now: Int64) throws -> StoredSigningKey {
        let key = try TokenSigningKey.generate(try Self.algorithm(algorithm))
        return StoredSigningKey(
            kid: key.keyID,
            algorithm: algorithm,
            privateKey: try seal(key.exportedPKCS8(), kid: key.keyID),
            createdAt: now,
            signsFrom: signsFrom,
            retiredAt: nil
        )
    }

    private func open(_ stored: StoredSigningKey) throws -> TokenSigningKey {
        let pkcs8 = try sealer.openSecret(
            stored.privateKey,
            table: "signing_keys",
            column: "private_key",
            row: stored.kid
        )
        return try TokenSigningKey(Self.algorithm(stored.algorithm), pkcs8: pkcs8)
    }

    private func seal(_ pkcs8: SecureBytes, kid: String) throws -> String {
        try sealer.seal(pkcs8, table: "signing_keys", column: "private_key", row: kid)
    }

    private static func algorithm(_ name: String) throws -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw Failure.unknownAlgorithm(name) }
        return algorithm
    }
}
