package import Database

/// A signing key as it is stored, with an encrypted private part.
package struct StoredSigningKey: Sendable, Equatable {
    /// The key's RFC 7638 thumbprint.
    package let kid: String
    /// The name of the JWS algorithm that the key signs with: `ES256`, `EdDSA` or `RS256`.
    package let algorithm: String
    /// The private key, encrypted with the installation's secret.
    package let privateKey: String
    /// When the key was made, in milliseconds since 1970.
    package let createdAt: Int64
    /// The time from which the key signs until a newer key does, in milliseconds since 1970; before, it is only
    /// published.
    package let signsFrom: Int64
    /// The time from which the key neither signs nor is published, in milliseconds since 1970; `nil` until it is set.
    package let retiredAt: Int64?

    /// Creates a key from its stored parts.
    package init(
        kid: String,
        algorithm: String,
        privateKey: String,
        createdAt: Int64,
        signsFrom: Int64,
        retiredAt: Int64?
    ) {
        self.kid = kid
        self.algorithm = algorithm
        self.privateKey = privateKey
        self.createdAt = createdAt
        self.signsFrom = signsFrom
        self.retiredAt = retiredAt
    }
}

extension Transaction {
    /// Returns all keys that are not retired, in the order in which they begin to sign.
    ///
    /// A key is not retired before the last session cookie that it signed ends
    /// (``keepSigningKey(_:untilCookiesEnd:)``): its `retiredAt` is then the end of that cookie.
    package func signingKeys() throws -> [StoredSigningKey] {
        try all(
            """
            SELECT kid, algorithm, private_key, created_at, signs_from,
                CASE WHEN cookies_until > retired_at THEN cookies_until ELSE retired_at END
            FROM signing_keys
            WHERE retired_at IS NULL OR retired_at > \(now) OR cookies_until > \(now) ORDER BY signs_from, id
            """
        ) { row in
            StoredSigningKey(
                kid: try row.text(0),
                algorithm: try row.text(1),
                privateKey: try row.text(2),
                createdAt: try row.integer(3),
                signsFrom: try row.integer(4),
                retiredAt: try row.optionalInteger(5)
            )
        }
    }

    /// Stores a new signing key.
    package func insert(_ key: StoredSigningKey) throws {
        try enqueue(
            """
            INSERT INTO signing_keys (kid, algorithm, private_key, created_at, signs_from, retired_at)
            VALUES (\(key.kid), \(key.algorithm), \(key.privateKey), \(key.createdAt), \(key.signsFrom), \(key.retiredAt))
            """
        )
    }

    /// Sets the time at which a key is retired, in milliseconds since 1970, unless it is set already.
    package func retireSigningKey(_ kid: String, at time: Int64) throws {
        try enqueue("UPDATE signing_keys SET retired_at = \(time) WHERE kid = \(kid) AND retired_at IS NULL")
    }

    /// Keeps a key published at least until a time at which session cookies that it signed end, in milliseconds since
    /// 1970.
    ///
    /// Never shortens the time that the key is kept.
    package func keepSigningKey(_ kid: String, untilCookiesEnd time: Int64) throws {
        try enqueue(
            """
            UPDATE signing_keys SET cookies_until = \(time)
            WHERE kid = \(kid) AND (cookies_until IS NULL OR cookies_until < \(time))
            """
        )
    }

    /// Replaces a key's encrypted private part, after the installation's secret changed.
    package func resealSigningKey(_ kid: String, privateKey: String) throws {
        try enqueue("UPDATE signing_keys SET private_key = \(privateKey) WHERE kid = \(kid)")
    }
}
