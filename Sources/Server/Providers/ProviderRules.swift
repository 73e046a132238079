internal import Accounts
internal import Crypto
internal import JSON
internal import Tokens

/// What an ID token of one provider has to say (OpenID Connect Core section 3.1.3.7), and how far its word goes.
struct ProviderRules: Sendable {
    /// By how many seconds the provider's clock may differ from ours.
    static let leeway: Int64 = 60

    private let provider: ProviderConfiguration
    private let isDevelopment: Bool

    init(_ provider: ProviderConfiguration, isDevelopment: Bool) {
        self.provider = provider
        self.isDevelopment = isDevelopment
    }

    /// Checks what a token says whose signature is the provider's.
    ///
    /// - Parameters:
    ///   - token: its content.
    ///   - text: the token as it came.
    ///   - nonce: what the client says that it asked with.
    ///   - now: seconds since 1970.
    /// - Throws: ``Refusal`` INVALID_IDP_RESPONSE, MISSING_OR_INVALID_NONCE.
    func claims(
        of token: JWT.Signed,
        as text: String,
        nonce: String?,
        at now: Int64
    ) throws -> ProviderClaims {
        let claims = token.claims
        func refusal(_ detail: String) -> Refusal { Refusal(.invalidIdPResponse, detail: detail) }
        guard let issuer = claims["iss"]?.string, isOneOf(provider.issuers, issuer) else {
            throw refusal("The ID token is of another issuer.")
        }
        guard isForUs(claims) else { throw refusal("The ID token is for somebody else.") }
        guard let subject = claims["sub"]?.string, isSubject(subject), !JSONValue.object(claims).containsNUL else {
            throw refusal("The ID token has no usable subject.")
        }
        // A logout token or a notification is signed as an ID token is (Back-Channel Logout section 2.4, and Apple).
        guard claims["events"] == nil else { throw refusal("The token is no ID token.") }
        guard let expiresAt = claims["exp"]?.int64, now < later(expiresAt) else {
            throw refusal("The ID token has expired.")
        }
        guard let issuedAt = claims["iat"]?.int64, issuedAt <= later(now) else {
            throw refusal("The ID token is from the future.")
        }
        if let notBefore = claims["nbf"] {
            guard let notBefore = notBefore.int64, notBefore <= later(now) else {
                throw refusal("The ID token is not valid yet.")
            }
        }
        let hasNonce = try checkNonce(claims["nonce"], asked: nonce)
        // Development repeats a token without a nonce, as Firebase's emulator does.
        let isSpent = hasNonce || !isDevelopment
        return ProviderClaims(
            subject: subject,
            all: claims,
            isEmailTrusted: isEmailTrusted(claims),
            spends: isSpent ? try spent(text, expiresAt: expiresAt) : nil
        )
    }

    /// One of our clients is the audience; with several audiences, also the party that asked (`azp`), which is never a stranger.
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

    /// Whether the token has a nonce, which is the one that the client asked with or its SHA-256 in hexadecimal digits.
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
        // Apple's token carries the hash, so that whoever gets hold of the token does not know the nonce. The plain form would
        // give that away.
        let isPlain = provider.id != ProviderConfiguration.apple && isSame(claimed, nonce)
        guard try isPlain || isSame(claimed, hexadecimal(sha256(Array(nonce.utf8)))) else {
            throw Refusal(
                .missingOrInvalidNonce,
                detail: "The nonce in the ID token does not match the one in the request."
            )
        }
        return true
    }

    /// Whether the provider's word about the address is to be trusted (contract, first table).
    private func isEmailTrusted(_ claims: JSONObject) -> Bool {
        if isDevelopment { return true }
        guard provider.isEmailTrusted, let text = claims["email"]?.string,
            let domain = try? EmailAddress(parsing: text).domain,
            provider.emailDomains.isEmpty || provider.emailDomains.contains(domain)
        else { return false }
        guard provider.id == ProviderConfiguration.google else { return true }
        // Google knows whose a mailbox is where it runs it: its own, and those of the organisations that `hd` names.
        return domain == "gmail.com" || claims["hd"]?.string.map { !$0.isEmpty } ?? false
    }

    /// The token by what was signed: of some signatures anyone can make a second one.
    private func spent(_ text: String, expiresAt: Int64) throws -> SpentToken {
        let end = text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.utf8.endIndex
        let digest = try sha256(Array(text.utf8[..<end]))
        let (milliseconds, isTooLate) = later(expiresAt).multipliedReportingOverflow(by: 1000)
        return SpentToken(digest: Base64URL.encode(digest), expiresAt: isTooLate ? .max : milliseconds)
    }

    /// OpenID Connect Core section 2: at most 255 characters.
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

    /// Byte by byte: Swift's `==` takes texts for the same that Unicode does.
    private func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }

    private func isOneOf(_ texts: Set<String>, _ text: String) -> Bool {
        texts.contains { isSame($0, text) }
    }
}
