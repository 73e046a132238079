/// The sign-in method of a session: a provider's id or one of the names below; `sign_in_provider` in the session's
/// tokens.
package struct SignInProvider: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let anonymous = SignInProvider(rawValue: "anonymous")
    /// An e-mail link or code.
    ///
    /// Its name is `password`, as in Identity Toolkit (contract, 2.1).
    package static let emailLink = SignInProvider(rawValue: "password")
    package static let custom = SignInProvider(rawValue: "custom")
}

/// The reason why a session ended.
package enum SessionEnd: String, Sendable {
    case signedOut = "signed-out"
    /// A guest got the first sign-in method, or a permanent user proved the address that the account had unproven.
    case linked
    /// The guest was merged into another user.
    case merged
    /// A refresh token was presented that was too old to be that of a lost reply (``AccountFlows/refresh(_:in:)``).
    case reused
    /// All sessions ended at once: the user revoked the tokens or changed the address without an e-mail, an
    /// administrator revoked the tokens or disabled the user, an import replaced the user, a link reverted a change of
    /// sign-in methods, or the account was recovered, contested or given back to its old address.
    case revoked
    case emailChanged = "email-changed"
    /// The owner of the user's address signed in and took the account over (``AccountFlows/takeOver(_:in:)``), or
    /// signed in with another identity at a provider than the user had there, so that the address has changed hands.
    case proven
    /// The user or an administrator ended this one session by its `sid`.
    case ended
    /// The user had more sessions than ``Policy/sessionsPerUser``.
    case limit

    /// Whether e-mail links that the session asked for end with it, because the session was ended as one that may be a
    /// thief's.
    ///
    /// They stay after a sign-out: a person may open the link of a change after signing out.
    package var endsRequests: Bool { [.ended, .revoked, .reused].contains(self) }
}

/// One device's refresh-token family.
///
/// Times are milliseconds since 1970, except ``authTime``.
package struct Session: Sendable, Equatable {
    /// 16 bytes as base64url: a time and 80 random bits, or for a guest a hash of the idempotency key of the sign-up.
    ///
    /// The `sid` in the session's tokens and the session's public id, so not a secret.
    package var sid: String
    package var uid: String
    package var provider: SignInProvider
    /// The newest refresh token's number, from 1.
    package var generation: Int64
    /// When the newest refresh token was made.
    package var generationAt: Int64
    /// When the session began, if it keeps one refresh token, as Firebase's SDKs expect; `nil` if each refresh gives a
    /// new one.
    package var fixedSince: Int64?
    /// The time of the sign-in, in seconds since 1970.
    package var authTime: Int64
    package var createdAt: Int64
    package var lastUsedAt: Int64
    package var endedAt: Int64?
    /// The reason why the session ended; `nil` while it has not.
    package var endReason: SessionEnd?
    /// The claims of the custom token that began the session, as the text of a JSON object; `nil` if there are none.
    ///
    /// Every ID token of the session repeats them.
    package var claims: String?
    /// When the session was opened in exchange for a token of the system that the user was imported from; `nil` for all
    /// other sessions.
    package var exchangedAt: Int64?
    /// The device that the session began on, for people: `Firefox · Linux`; empty if unknown.
    package var device = ""
    /// The label of the network that the session began in, for operators; `nil` if unknown, as for a guest's first session.
    package var network: String?

    /// Makes a session that starts now.
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
        network = opening.network
    }

    /// Makes a session from its stored parts.
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
        device: String = "",
        network: String? = nil
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
        self.network = network
    }

    /// Whether linking or merging ended the session less than a minute ago, so that the client may have a new session
    /// that this request did not use yet.
    ///
    /// A browser's tabs share one stored session, which one tab replaces while another still uses it.
    func wasReplaced(at now: Int64) -> Bool {
        guard let endedAt, let endReason else { return false }
        return [.linked, .merged].contains(endReason) && now - endedAt < 60_000
    }
}

/// What a new session needs that is determined before its transaction, because transactions may run again.
package struct SessionOpening: Sendable {
    /// The `sid` of the session to begin: 16 bytes as base64url (``Session/sid``).
    package let sid: String
    /// Whether each refresh gives a new refresh token.
    package let rotates: Bool
    /// The keyed hash of the client's network address, if the sign-in may make the client known to an address
    /// (``KnownClient``).
    package let client: String?
    /// The device's description, for people; empty if unknown.
    package let device: String
    /// The label of the client's network for the trace and the session; `nil` if unknown.
    package let network: String?

    /// Makes an opening from its parts.
    package init(sid: String, rotates: Bool, client: String? = nil, device: String = "", network: String? = nil) {
        self.sid = sid
        self.rotates = rotates
        self.client = client
        self.device = device
        self.network = network
    }
}
