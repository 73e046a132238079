internal import Crypto
package import Database
package import Tokens

/// The keys that sign ID tokens: sealed in the database, published ahead of time, retired after their last token.
package struct SigningKeys: Sendable {
    /// How long others may keep our published keys, in milliseconds: `max-age` of the JWKS.
    package static let publishedLife: Int64 = 3_600_000
    /// Until then every node publishes a new key, in milliseconds; it takes them some seconds.
    static let spreading: Int64 = 60_000

    let sealer: Sealer

    /// Seals and opens with the server's secrets.
    package init(secrets: ServerSecrets) {
        sealer = Sealer(secrets)
    }

    /// What a key set may have to be of use.
    package enum Failure: Error, Sendable {
        /// There is no key that may sign now.
        case noSigner
        /// The algorithm is none of ES256, EdDSA and RS256.
        case unknownAlgorithm(String)
    }

    /// The key set of this moment; makes the first key where there is none.
    package func load(algorithm: String, in transaction: Transaction) throws -> KeySet {
        if try transaction.signingKeys().isEmpty {
            let first = try make(algorithm, signsFrom: transaction.now, at: transaction.now)
            try transaction.insert(first)
        }
        return try keySet(in: transaction)
    }

    /// The key set of this moment.
    ///
    /// Writes nothing.
    package func keySet(in transaction: Transaction) throws -> KeySet {
        let keys = try transaction.signingKeys().map { (stored: $0, key: try open($0)) }
        guard let signer = keys.last(where: { $0.stored.signsFrom <= transaction.now }) ?? keys.first else {
            throw Failure.noSigner
        }
        let others = keys.filter { $0.stored.kid != signer.stored.kid }.map(\.key.verificationKey)
        return KeySet(signer: signer.key, others: others)
    }

    /// Makes a new key, which signs once everybody had time to fetch it, and retires the others one token life later.
    ///
    /// - Returns: the new key.
    package func rotate(algorithm: String, in transaction: Transaction) throws -> StoredSigningKey {
        let signsFrom = transaction.now + Self.spreading + Self.publishedLife
        for key in try transaction.signingKeys() {
            try transaction.retireSigningKey(key.kid, at: signsFrom + IDTokens.life * 1000 + Self.publishedLife)
        }
        let key = try make(algorithm, signsFrom: signsFrom, at: transaction.now)
        try transaction.insert(key)
        return key
    }

    /// Seals every key anew under the newest secret.
    ///
    /// - Returns: how many were sealed under an older one.
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
