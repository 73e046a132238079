internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `GET /emulator/v1/projects/{project}/oobCodes`: lists the links of e-mails that can still be used, oldest first,
/// without those of notices about changed sign-in methods (contract, 3.13).
struct ListActionCodes: ReadingEndpoint {
    let services: Services

    /// The maximum number of links, the newest ones.
    private static let limit = 10_000

    func decode(_ request: Request) throws {}

    func transact(_: Void, in transaction: Transaction) throws -> [StoredActionCode] {
        try transaction.usableActionCodes(limit: Self.limit)
    }

    func render(_ codes: [StoredActionCode]) throws -> Response {
        var json = JSONWriter(capacity: 64 + codes.count * 384)
        json.beginObject()
        json.beginArray("oobCodes")
        for stored in codes {
            guard let link = try services.actionLink(stored) else { continue }
            json.beginObject()
            json.member("email", stored.email)
            // For a recovery it is the address that the link removes, which the emulator does not return.
            if stored.purpose == .verifyAndChangeEmail { json.member("newEmail", stored.newEmail) }
            json.member("requestType", stored.purpose.requestType)
            json.member("oobCode", link.code)
            json.member("oobLink", services.oobLink(link))
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return .json(json.bytes)
    }
}

extension Services {
    /// Makes the link of a stored code, which requires the server's secret; `nil` for an invalid row.
    func actionLink(_ stored: StoredActionCode) throws -> ActionLink? {
        guard let id = TokenID(text: stored.id) else { return nil }
        let code = try ActionCode.make(
            id: id,
            purpose: stored.purpose,
            expiry: stored.expiresAt / 1000,
            secrets: secrets
        )
        return ActionLink(
            purpose: stored.purpose,
            code: code,
            locale: stored.locale,
            continueURL: stored.continueURL,
            requestID: stored.ticket
        )
    }

    /// Returns the `oobLink` of a response: in the emulator's format in development, otherwise as in e-mails (contract,
    /// 3.14).
    func oobLink(_ link: ActionLink) -> String {
        configuration.mode == .development
            ? link.url(publicURL: publicURL, path: EmulatorAction.path, apiKey: EmulatorAction.apiKey)
            : link.url(publicURL: publicURL)
    }
}
