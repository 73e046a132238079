internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:querySignInLink`: describes the request of a sign-in link without using the link, for an app that
/// did not ask for it.
struct QuerySignInLink: ReadingEndpoint {
    struct Outcome: Sendable {
        let description: SignInLinkDescription
        let link: PresentedSignInLink
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> PresentedSignInLink {
        try services.presentedSignInLink(try services.body(of: call))
    }

    func transact(_ link: PresentedSignInLink, in transaction: Transaction) throws -> Outcome {
        Outcome(description: try services.flows.describe(link.code, in: transaction), link: link)
    }

    func render(_ outcome: Outcome) throws -> Response {
        let description = outcome.description
        // Without continue URL, the link opens the server's approval page.
        let page = ActionLink(
            purpose: .emailSignIn,
            code: outcome.link.wireCode,
            locale: description.locale,
            continueURL: nil,
            requestID: description.requestID
        )
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("kind", "identitytoolkit#QuerySignInLinkResponse")
        json.member("requestId", description.requestID)
        json.member("email", description.maskedEmail)
        json.member("device", description.device)
        json.member("place", description.place)
        json.member("requestedAt", Timestamp.rfc3339(milliseconds: description.requestedAt))
        json.member("state", description.state.rawValue)
        json.member("waiting", description.state == .waiting)
        json.member("approveUrl", page.url(publicURL: services.publicURL))
        json.endObject()
        return .json(json.bytes)
    }
}

/// The code of a link in a call, with a valid signature.
struct PresentedSignInLink: Sendable {
    let code: ActionCode
    /// The code as it is in the link.
    let wireCode: String
}

extension Services {
    /// The code of a sign-in link in the member `oobCode` of a body, expired or not.
    ///
    /// The transaction refuses a code of another purpose.
    ///
    /// - Throws: ``Refusal`` MISSING_OOB_CODE, INVALID_OOB_CODE.
    func presentedSignInLink(_ body: RequestBody) throws -> PresentedSignInLink {
        guard let text = try body.nonEmptyString("oobCode") else { throw Refusal(.missingOobCode) }
        return PresentedSignInLink(code: try actionCode(text), wireCode: text)
    }
}
