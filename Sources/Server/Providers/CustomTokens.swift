internal import Accounts
internal import JSON
internal import Tokens

/// Verifies custom tokens, with which the app's back end signs users in (contract, 3.9).
struct CustomTokens: Sendable {
    private let isDevelopment: Bool
    private let verifier: CustomTokenVerifier

    init(_ configuration: Configuration) {
        isDevelopment = configuration.mode == .development
        verifier = CustomTokenVerifier(keys: configuration.serviceAccounts)
    }

    /// Verifies a token and returns its content: the UID, and the claims for the session, if it has any.
    ///
    /// In development, only the audience of a JWT is checked, and bare JSON is accepted too.
    ///
    /// - Parameters:
    ///   - text: the unverified token.
    ///   - now: seconds since 1970.
    /// - Throws: ``Refusal`` OPERATION_NOT_ALLOWED, CREDENTIAL_MISMATCH, INVALID_CUSTOM_TOKEN, MISSING_IDENTIFIER,
    ///   INVALID_CLAIMS, FORBIDDEN_CLAIM, CLAIMS_TOO_LARGE, UNSUPPORTED_TENANT_OPERATION; `CryptoError` if the signature could not be checked.
    func check(_ text: String, at now: Int64) throws -> (uid: String, claims: CustomClaims?) {
        let claims = try isDevelopment ? unverifiedClaims(of: text) : verifiedClaims(of: text, at: now)
        return try Refusal.ofValid { try Self.content(of: claims) }
    }

    private static func content(of claims: JSONObject) throws -> (uid: String, claims: CustomClaims?) {
        // The users of a tenant are different users, even with the same UIDs.
        guard [nil, .null, .string("")].contains(claims["tenant_id"]) else {
            throw Refusal(.unsupportedTenantOperation, detail: "This server has no tenants; leave tenant_id out.")
        }
        guard let uid = ["uid", "user_id"].lazy.compactMap({ claims[$0].flatMap(identifier) }).first, !uid.isEmpty
        else {
            throw Refusal(.missingIdentifier, detail: "The token has no uid.")
        }
        guard UserID.isAllowed(uid) else {
            throw Refusal(.invalidCustomToken, detail: "A uid has at most 128 characters and no control characters.")
        }
        return (uid, try claims["claims"].map { try CustomClaims($0) })
    }

    private func verifiedClaims(of text: String, at now: Int64) throws -> JSONObject {
        guard !verifier.isEmpty else {
            throw Refusal(.operationNotAllowed, detail: "The server has no service account configured.")
        }
        do throws(CustomTokenVerifier.Refusal) {
            return try verifier.verify(text, now: now)
        } catch {
            switch error {
            case .unknownAccount:
                throw Refusal(.credentialMismatch, detail: "The server does not know this service account.")
            case .signature(.library(let error)):
                throw error
            case .signature:
                throw Refusal(.invalidCustomToken, detail: "Invalid assertion format or signature.")
            case .audience:
                throw Self.signed("Invalid aud or sub; ID tokens and other parties' tokens are not custom tokens.")
            case .times:
                throw Self.signed("The token has expired, is not valid yet, or is valid for more than an hour.")
            }
        }
    }

    /// The refusal of a token with a valid signature.
    private static func signed(_ detail: String) -> Refusal {
        Refusal(.invalidCustomToken, detail: detail).ofValid()
    }

    /// Accepts what the emulator accepts: any token with the correct audience whatever its signature, and bare JSON.
    private func unverifiedClaims(of text: String) throws -> JSONObject {
        if text.hasPrefix("{") {
            guard let claims = try? JSONValue.parse(text).object else {
                throw Refusal(.invalidCustomToken, detail: "Neither strict JSON nor a JWT.")
            }
            return claims
        }
        guard let claims = JWT.unverifiedClaims(of: text) else {
            throw Refusal(.invalidCustomToken, detail: "Invalid assertion format")
        }
        guard claims["aud"] == .string(CustomTokenVerifier.audience) else {
            throw Refusal(
                .invalidCustomToken,
                detail: "Invalid aud; ID tokens and other parties' tokens are not custom tokens."
            )
        }
        return claims
    }

    /// Returns a UID as text: it may also be written as a number or a Boolean.
    ///
    /// `nil` for other values.
    private static func identifier(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.literal
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
