internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/token`: exchanges a refresh token for a new ID token (contract, 3.10).
struct Token: WritingEndpoint {
    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> RefreshToken {
        let parameters = try RefreshParameters(call.request)
        guard let grantType = parameters.grantType, !grantType.isEmpty else { throw Refusal(.missingGrantType) }
        guard grantType == "refresh_token" else { throw Refusal(.invalidGrantType) }
        guard let refreshToken = parameters.refreshToken, !refreshToken.isEmpty else {
            throw Refusal(.missingRefreshToken)
        }
        return try services.refreshToken(refreshToken)
    }

    func isolation(_ token: RefreshToken) -> Isolation { .readCommitted }

    // The sessions of Firebase's SDKs keep one token, and never get a second one.
    func mayChangeNothing(_ token: RefreshToken, of request: Request) -> Bool {
        token.generation == 1 && request.isOfFirebaseSDK
    }

    func read(_ token: RefreshToken, in transaction: Transaction) throws -> Decision<Refreshed>? {
        try services.flows.refreshWithoutWriting(token, in: transaction).map { .done($0) }
    }

    func transact(_ token: RefreshToken, in transaction: Transaction) throws -> Decision<Refreshed> {
        try services.flows.refresh(token, in: transaction)
    }

    func sharedKey(_ token: RefreshToken) -> String? { token.session.text }

    func transact(
        _ tokens: [RefreshToken],
        in transaction: Transaction
    ) throws -> [SharedOutcome<Decision<Refreshed>>] {
        try services.flows.refresh(tokens, in: transaction).map { $0.map { .answered($0) } ?? .postponed }
    }

    func committed(_ decision: Decision<Refreshed>, of call: CallContext) {
        if case .refused(let refusal) = decision { services.count(refusal, from: call.client) }
    }

    func render(_ decision: Decision<Refreshed>) throws -> Response {
        let refreshed = try decision.get()
        let idToken = try services.idTokens.sign(
            refreshed.user,
            session: refreshed.session,
            identities: refreshed.identities
        )
        var json = JSONWriter(capacity: 2048)
        json.beginObject()
        json.member("id_token", idToken)
        json.member("access_token", idToken)
        json.member(
            "refresh_token",
            try services.refreshToken(of: refreshed.session.sid, generation: refreshed.generation)
        )
        json.member("expires_in", String(IDTokens.life))
        json.member("token_type", "Bearer")
        json.member("user_id", refreshed.user.uid)
        // A project's number, which clients expect but do not use (contract, 3.10).
        json.member("project_id", "12345")
        json.endObject()
        return .json(json.bytes)
    }
}

/// The parameters of `/v1/token`.
struct RefreshParameters {
    let grantType: String?
    let refreshToken: String?

    /// Reads the parameters from a form or from JSON, in either spelling of the keys.
    ///
    /// - Throws: ``RequestError`` for JSON that is malformed.
    init(_ request: Request) throws {
        let isJSON = request.header("content-type")?.lowercased().hasPrefix("application/json") ?? false
        if isJSON || request.body.first == UInt8(ascii: "{") {
            let body = try RequestBody(request)
            grantType = try body.string("grantType")
            refreshToken = try body.string("refreshToken")
        } else {
            let form = FormBody(request.body)
            grantType = form["grant_type"] ?? form["grantType"]
            refreshToken = form["refresh_token"] ?? form["refreshToken"]
        }
    }
}
