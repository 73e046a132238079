internal import Accounts
internal import Crypto
internal import JSON
internal import Tokens

/// The rules for the ID tokens of one provider (OpenID Connect Core section 3.1.3.7), and for trust in their claims.
struct ProviderRules: Sendable {
    /// The number of seconds that the provider's clock may differ from this server's.
    static let leeway: Int64 = 60

    private let provider: ProviderConfiguration
    private let isDevelopment: Bool

    init(_ provider: ProviderConfiguration, isDevelopment: Bool) {
        self.provider = provider
        self.isDevelopment = isDevelopment
    }

    /// Checks the claims of a token with a valid signature.
    ///
    /// - Parameters:
    ///   - token: the token's content.
    ///   - text: the token as received.
    ///   - nonce: the nonce that the client says it used; `nil` or empty for none.
    ///   - now: seconds since 1970.
    /// - Returns: the claims.
    /// - Throws: ``Refusal`` INVALID_IDP_RESPONSE, MISSING_OR_INVALID_NONCE; `CryptoError` if a hash cannot be made.
    func claims(
        of token: JWT.Signed,
        as text: String,
        nonce: String?,
        at now: Int64
    ) throws -> ProviderClaims {
        let claims = token.claims
        func refusal(_ detail: String) -> Refusal { Refusal(.invalidIdPResponse, detail: detail) }
        guard let issuer = claims["iss"]?.string, isOneOf(provider.issuers, issuer) else {
            throw refusal("The ID token is from another issuer.")
        }
        guard isForUs(claims) else { throw refusal("The ID token was issued for another client.") }
        guard let subject = claims["sub"]?.string, isSubject(subject), !JSONValue.object(claims).containsNUL else {
            throw refusal("The ID token has no usable subject.")
        }
        // Logout tokens and notifications are signed like ID tokens (Back-Channel Logout section 2.4, and Apple).
        guard claims["events"] == nil else { throw refusal("The token is not an ID token.") }
        guard let expiresAt = claims["exp"]?.int64, now < later(expiresAt) else {
            throw refusal("The ID token has expired.")
        }
        guard let issuedAt = claims["iat"]?.int64, issuedAt <= later(now) else {
            throw refusal("The ID token was issued in the future.")
        }
        if let notBefore = claims["nbf"] {
            guard let notBefore = notBefore.int64, notBefore <= later(now) else {
                throw refusal("The ID token is not valid yet.")
            }
        }
        let hasNonce = try checkNonce(claims["nonce"], asked: nonce)
        // Development accepts a token without a nonce repeatedly, as Firebase's emulator does.
        let isSpent = hasNonce || !isDevelopment
        return ProviderClaims(
            subject: subject,
            all: claims,
            isEmailTrusted: isEmailTrusted(claims),
            spends: isSpent ? try spent(text, expiresAt: expiresAt) : nil
        )
    }

    /// Whether the token was issued for a configured client.
    ///
    /// One of the audiences must be a configured client, and so must the authorized party (`azp`), if it is given. A
    /// token with several audiences must have an authorized party.
    private func isForUs(_ claims: JSONObject) -> Bool {
        let audiences: [String]
        switch claims["aud"] {
        case .string(let audience)?: audiences = [audience]
        case .array(let values)?:
            audiences = values.compactMap(\.string)
            guard audiences.count == values.count else { return false }
        default: return false
        }
        guard audiences.contains(where: { isOneOf(provider.clientIDs, $0) }) else { return false }
        guard let party = claims["azp"] else { return audiences.count == 1 }
        return party.string.map { isOneOf(provider.clientIDs, $0) } ?? false
    }

    /// Whether the token has a nonce, after checking that it is the client's.
    ///
    /// The token's nonce must be the client's nonce or its SHA-256 in hexadecimal digits, for Apple always the SHA-256.
    /// If the client sent none, the provider's `acceptUnknownNonce` decides.
    ///
    /// - Throws: ``Refusal`` MISSING_OR_INVALID_NONCE.
    private func checkNonce(_ claim: JSONValue?, asked nonce: String?) throws -> Bool {
        let nonce = nonce.flatMap { $0.isEmpty ? nil : $0 }
        guard let claim else {
            guard nonce == nil else {
                throw Refusal(.missingOrInvalidNonce, detail: "The nonce is missing in the ID token.")
            }
            return false
        }
        guard let claimed = claim.string, !claimed.isEmpty else {
            throw Refusal(.missingOrInvalidNonce, detail: "The nonce in the ID token is not valid.")
        }
        guard let nonce else {
            guard provider.acceptsUnknownNonce else {
                throw Refusal(.missingOrInvalidNonce, detail: "The nonce is missing in the request.")
            }
            return true
        }
        // Apple's token contains the hash, so that an attacker who steals the token does not know the nonce. Accepting
        // the plain form would defeat that.
        let isPlain = provider.id != ProviderConfiguration.apple && isSame(claimed, nonce)
        guard try isPlain || isSame(claimed, hexadecimal(sha256(Array(nonce.utf8)))) else {
            throw Refusal(
                .missingOrInvalidNonce,
                detail: "The nonce in the ID token does not match the one in the request."
            )
        }
        return true
    }

    /// Whether the provider's claim about the user's e-mail address is trusted (contract, 3.8).
    ///
    /// It is trusted if the provider's settings say so for the address's domain. A claim of Google's is trusted only if
    /// Google also runs the mailbox. In development every claim is trusted.
    private func isEmailTrusted(_ claims: JSONObject) -> Bool {
        if isDevelopment { return true }
        guard provider.isEmailTrusted, let text = claims["email"]?.string,
            let domain = try? EmailAddress(parsing: text).domain,
            provider.emailDomains.isEmpty || provider.emailDomains.contains(domain)
        else { return false }
        guard provider.id == ProviderConfiguration.google else { return true }
        // Google knows the owner of a mailbox that it runs: its own, and those of the organisations that `hd` names.
        return domain == "gmail.com" || claims["hd"]?.string.map { !$0.isEmpty } ?? false
    }

    /// The record of a token that may be used once, by the hash of its signed part, because some signature schemes
    /// allow a second signature of the same content.
    ///
    /// `expiresAt` is in seconds since 1970.
    private func spent(_ text: String, expiresAt: Int64) throws -> SpentToken {
        let end = text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.utf8.endIndex
        let digest = try sha256(Array(text.utf8[..<end]))
        let (milliseconds, isTooLate) = later(expiresAt).multipliedReportingOverflow(by: 1000)
        return SpentToken(digest: Base64URL.encode(digest), expiresAt: isTooLate ? .max : milliseconds)
    }

    /// Whether a subject has 1 to 255 bytes (OpenID Connect Core section 2) and no control characters.
    private func isSubject(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private func later(_ time: Int64) -> Int64 {
        let (later, isTooLate) = time.addingReportingOverflow(Self.leeway)
        return isTooLate ? .max : later
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Compares byte by byte, because Swift's `==` treats canonically equivalent texts as equal.
    private func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }

    private func isOneOf(_ texts: Set<String>, _ text: String) -> Bool {
        texts.contains { isSame($0, text) }
    }
}
