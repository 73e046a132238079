internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// `POST /v1/accounts:denySignInLink`: ends the request of a sign-in link that the owner of the mailbox did not make, as
/// "This wasn't me" on the link's page does.
struct DenySignInLink: WritingEndpoint {
    struct Input: Sendable {
        let link: PresentedSignInLink
        let reader: TracedDevice
    }

    let services: Services

    func decode(_ call: AuthorizedRequest) throws -> Input {
        Input(
            link: try services.presentedSignInLink(try services.body(of: call)),
            reader: services.tracedDevice(of: call.request)
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> SignInLinkAnswer {
        let answer = try services.flows.deny(input.link.code, by: input.reader, in: transaction)
        if case .stale(let status) = answer { throw Self.refusal(of: status) }
        return answer
    }

    /// The refusal of a denial that comes too late, or whose link does not exist.
    private static func refusal(of status: SignInLinkStatus) -> Refusal {
        switch status {
        case .used, .signedOut: Refusal(.ticketSpent)
        case .denied, .ended: Refusal(.ticketEnded)
        case .awaitsApproval, .showsCode, .pausesCodes, .approved, .expired, .replaced, .unknown:
            Refusal(.invalidOobCode)
        }
    }

    func committed(_ answer: SignInLinkAnswer, of call: CallContext) {
        services.announce(answer, of: call)
    }

    func render(_ answer: SignInLinkAnswer) throws -> Response {
        var json = JSONWriter(capacity: 96)
        json.beginObject()
        json.member("kind", "identitytoolkit#DenySignInLinkResponse")
        json.member("denied", true)
        json.endObject()
        return .json(json.bytes)
    }
}
