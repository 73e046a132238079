/// How the user of a session signed in; `sign_in_provider` in its tokens.
package struct SignInProvider: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let anonymous = SignInProvider(rawValue: "anonymous")
    /// A mailed link or code.
    ///
    /// Identity Toolkit calls it `password`, and so must we (contract, 0.2).
    package static let emailLink = SignInProvider(rawValue: "password")
    package static let custom = SignInProvider(rawValue: "custom")
}

/// Why a session ended.
package enum SessionEnd: String, Sendable {
    case signedOut = "signed-out"
    case linked
    case merged
    case reused
    case revoked
    case emailChanged = "email-changed"
    case proven
    /// The user or an administrator ended it from elsewhere.
    case ended
    /// The user had more sessions than ``Policy/sessionsPerUser``.
    case limit
}

/// One device's refresh-token family.
///
/// Times are milliseconds since 1970 but for ``authTime``.
package struct Session: Sendable, Equatable {
    /// 16 bytes as base64url, a time and 80 random bits; `sid` in the session's tokens and its public id, so no secret.
    package var sid: String
    package var uid: String
    package var provider: SignInProvider
    /// The newest refresh token's number, from 1.
    package var generation: Int64
    package var generationAt: Int64
    /// Set where the session keeps one refresh token, as Firebase's SDKs expect.
    package var fixedSince: Int64?
    /// When the user signed in.
    ///
    /// Seconds since 1970.
    package var authTime: Int64
    package var createdAt: Int64
    package var lastUsedAt: Int64
    package var endedAt: Int64?
    /// Why it ended.
    package var endReason: SessionEnd?
    /// The claims of the custom token that it began with, a JSON object; every token of the session repeats them.
    package var claims: String?
    /// Set where another issuer's token was exchanged for it.
    package var exchangedAt: Int64?
    /// The device that it began on, for people: `Firefox · Linux`; empty where the device did not say.
    package var device = ""

    /// A session that starts now.
    package init(_ opening: SessionOpening, uid: String, provider: SignInProvider, at now: Int64) {
        sid = opening.sid
        self.uid = uid
        self.provider = provider
        generation = 1
        generationAt = now
        fixedSince = opening.rotates ? nil : now
        authTime = now / 1000
        createdAt = now
        lastUsedAt = now
        endedAt = nil
        device = opening.device
    }

    /// A session as the store keeps it.
    package init(
        sid: String,
        uid: String,
        provider: SignInProvider,
        generation: Int64,
        generationAt: Int64,
        fixedSince: Int64?,
        authTime: Int64,
        createdAt: Int64,
        lastUsedAt: Int64,
        endedAt: Int64?,
        claims: String? = nil,
        exchangedAt: Int64? = nil,
        endReason: SessionEnd? = nil,
        device: String = ""
    ) {
        self.sid = sid
        self.uid = uid
        self.provider = provider
        self.generation = generation
        self.generationAt = generationAt
        self.fixedSince = fixedSince
        self.authTime = authTime
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.endedAt = endedAt
        self.claims = claims
        self.exchangedAt = exchangedAt
        self.endReason = endReason
        self.device = device
    }

    /// Whether linking or merging ended the session a moment ago, so that the client may be about to learn of the next one.
    ///
    /// A browser's tabs share one stored session, which one tab replaces while another still uses it.
    func wasReplaced(at now: Int64) -> Bool {
        guard let endedAt, let endReason else { return false }
        return [.linked, .merged].contains(endReason) && now - endedAt < 60_000
    }
}

/// What a new session needs before its transaction: drawn outside, because transactions may run again.
package struct SessionOpening: Sendable {
    /// 16 random bytes as base64url.
    package let sid: String
    /// Whether each refresh gives a new refresh token.
    package let rotates: Bool
    /// The keyed hash of the client's network address, where the sign-in may prove or use an e-mail address.
    package let client: String?
    /// What the device is, for people; empty where it did not say.
    package let device: String

    /// Makes an opening from its parts.
    package init(sid: String, rotates: Bool, client: String? = nil, device: String = "") {
        self.sid = sid
        self.rotates = rotates
        self.client = client
        self.device = device
    }
}
