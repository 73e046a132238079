internal import Accounts
internal import Crypto
internal import JSON
internal import Synchronization
internal import Tokens

/// Verifies the ID tokens of the Firebase project that the users were imported from.
final class FirebaseTokens: Sendable {
    /// The path at which Google publishes the keys that sign every project's tokens.
    static let keySetPath = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    /// The number of seconds that Google's clock may differ from this server's.
    private static let leeway: Int64 = 60

    private let end: Atomic<Int64>
    private let verifier: IDTokenVerifier
    private let fixedKeys: VerificationKeys?
    private let remoteKeys: RemoteKeys

    /// Makes the verifier without fetching keys.
    ///
    /// The verifier uses the keys in the configuration, or else those that Google publishes.
    init(
        _ firebase: FirebaseConfiguration,
        _ configuration: Configuration,
        clock: @escaping @Sendable () -> Int64,
        logger: Log
    ) {
        end = Atomic(firebase.exchangeUntil)
        verifier = IDTokenVerifier(
            issuer: firebase.issuer,
            audience: firebase.project,
            leeway: Self.leeway
        )
        fixedKeys = firebase.keys
        let url = FirebaseHost.keys.url(Self.keySetPath, upstream: firebase.upstream)
        remoteKeys = RemoteKeys(
            "firebase",
            at: firebase.upstream == nil ? .keySet(url) : .insecureKeySet(url),
            configuration,
            clock: clock,
            logger: logger
        )
    }

    /// The end of the exchange, in milliseconds since 1970.
    var exchangeUntil: Int64 { end.load(ordering: .relaxed) }

    /// Replaces the end of the exchange by that of a reloaded configuration.
    func use(_ firebase: FirebaseConfiguration) { end.store(firebase.exchangeUntil, ordering: .relaxed) }

    /// Verifies an ID token of the Firebase project with the keys that are known.
    ///
    /// - Parameters:
    ///   - text: the unverified token.
    ///   - now: milliseconds since 1970.
    /// - Returns: the user's session at Firebase, or a closure that fetches the keys first and then verifies; it throws
    ///   the same errors.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED after the end of the exchange, INVALID_FIREBASE_TOKEN,
    ///   PROVIDER_UNAVAILABLE; `CryptoError` if the token could not be checked.
    func check(_ text: String, at now: Int64) throws -> KeyedResult<ForeignSession> {
        guard now < exchangeUntil else {
            throw Refusal(.operationNotAllowed, detail: "The exchange has ended (setting firebase.exchangeUntil).")
        }
        if let fixedKeys { return .known(try session(text, fixedKeys, at: now / 1000)) }
        do {
            return try remoteKeys.check(text) { try self.session(text, $0, at: now / 1000) }
        } catch is JWTError {
            throw Self.invalid("Not a Firebase token.")
        }
    }

    /// Verifies an ID token of the Firebase project for the move of its session.
    ///
    /// - Returns: the session, or a closure that fetches the keys first; it throws the same errors.
    /// - Throws: as ``check(_:at:)`` does, and also before and after the end of the exchange.
    func checkForMove(_ text: String, at now: Int64) throws -> KeyedResult<FirebaseSession> {
        let session: @Sendable (VerificationKeys) throws -> FirebaseSession = { keys in
            let foreign = try self.session(text, keys, at: now / 1000)
            return FirebaseSession(
                uid: foreign.uid,
                authTime: foreign.authTime,
                provider: foreign.provider,
                claims: foreign.provider == .custom ? Self.customClaims(of: text) : nil
            )
        }
        if let fixedKeys { return .known(try session(fixedKeys)) }
        do { return try remoteKeys.check(text, session) } catch is JWTError {
            throw Self.invalid("Not a Firebase token.")
        }
    }

    /// Returns the claims of a verified token that are not Firebase's own, as JSON; `nil` if there are none.
    private static func customClaims(of text: String) -> String? {
        guard let all = JWT.unverifiedClaims(of: text) else { return nil }
        var claims = JSONObject()
        for claim in all.members where !CustomClaims.reserved.contains(claim.name) && !own.contains(claim.name) {
            claims[claim.name] = claim.value
        }
        return claims.isEmpty ? nil : String(decoding: JSONValue.object(claims).serialized(), as: UTF8.self)
    }

    /// The claims that Firebase itself puts into tokens, beside the reserved ones.
    private static let own: Set<String> = [
        "user_id", "name", "picture", "provider_id", "email", "email_verified", "phone_number",
    ]

    private func session(_ text: String, _ keys: VerificationKeys, at now: Int64) throws -> ForeignSession {
        // Firebase signs only with RS256, even if the set contains other keys.
        let keys = VerificationKeys(keys.all.filter { $0.key.algorithm == .rs256 })
        let verdict = try verifier.verify(text, keys: keys, now: now)
        if case .invalid(.signature) = verdict { throw Self.invalid("Not signed by Firebase.") }
        return try Refusal.ofValid { try session(verdict, text, at: now) }
    }

    /// Checks the claims of a token whose signature is valid, and returns the session that they describe.
    private func session(_ verdict: IDTokenVerifier.Verdict, _ text: String, at now: Int64) throws -> ForeignSession {
        let token: IDTokenVerifier.Claims
        switch verdict {
        case .valid(let claims): token = claims
        case .expired: throw Self.expired
        case .invalid(.signature): throw Self.invalid("Not signed by Firebase.")
        case .invalid(.issuer), .invalid(.audience): throw Self.invalid("The token belongs to another project.")
        case .invalid(.subject), .invalid(.times): throw Self.invalid("Not an ID token.")
        }
        guard UserID.isAllowed(token.subject), let authTime = token.all["auth_time"]?.int64,
            (0...(now + Self.leeway)).contains(authTime), let firebase = token.all["firebase"]?.object,
            let provider = firebase["sign_in_provider"]?.string, Self.isProvider(provider)
        else { throw Self.invalid("Not an ID token.") }
        // The users of a tenant are different users, even with the same UIDs.
        guard firebase["tenant"] == nil else { throw Self.invalid("The token belongs to a tenant.") }
        let (end, overflow) = token.expiresAt.addingReportingOverflow(Self.leeway)
        guard !overflow, end - now <= 2 * 86_400 else { throw Self.invalid("The token is valid for too long.") }
        return ForeignSession(
            uid: token.subject,
            authTime: authTime,
            provider: SignInProvider(rawValue: provider),
            spends: SpentToken(digest: Base64URL.encode(try sha256([UInt8](text.utf8))), expiresAt: end * 1000)
        )
    }

    /// The refusal of a token that is valid but for its expiry.
    static let expired = invalid("The token has expired; get a new one from Firebase.")

    private static func isProvider(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func invalid(_ reason: String) -> Refusal {
        Refusal(.invalidFirebaseToken, detail: reason)
    }
}
