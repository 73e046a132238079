/// A signing key as it is stored: its private part is sealed.
package struct StoredSigningKey: Sendable, Equatable {
    /// The key's RFC 7638 thumbprint.
    package let kid: String
    /// `ES256`, `EdDSA` or `RS256`.
    package let algorithm: String
    /// The sealed private key.
    package let privateKey: String
    /// Milliseconds since 1970, as all times here.
    package let createdAt: Int64
    /// From when on it signs; before, it is only published.
    package let signsFrom: Int64
    /// From when on it neither signs nor is published.
    package let retiredAt: Int64?

    /// Makes a key from its stored parts.
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
    /// All keys that are not retired, the oldest first.
    ///
    /// A key is not retired before the last session cookie that it signed ends.
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

    /// Stores a new key.
    package func insert(_ key: StoredSigningKey) throws {
        try perform(
            """
            INSERT INTO signing_keys (kid, algorithm, private_key, created_at, signs_from, retired_at)
            VALUES (\(key.kid), \(key.algorithm), \(key.privateKey), \(key.createdAt), \(key.signsFrom), \(key.retiredAt))
            """
        )
    }

    /// Sets when a key is retired.
    package func retireSigningKey(_ kid: String, at time: Int64) throws {
        try perform("UPDATE signing_keys SET retired_at = \(time) WHERE kid = \(kid) AND retired_at IS NULL")
    }

    /// Keeps a key published for the session cookies that it signs.
    package func keepSigningKey(_ kid: String, untilCookiesEnd time: Int64) throws {
        try perform(
            """
            UPDATE signing_keys SET cookies_until = \(time)
            WHERE kid = \(kid) AND (cookies_until IS NULL OR cookies_until < \(time))
            """
        )
    }

    /// Stores a key's private part sealed anew.
    package func resealSigningKey(_ kid: String, privateKey: String) throws {
        try perform("UPDATE signing_keys SET private_key = \(privateKey) WHERE kid = \(kid)")
    }
}
