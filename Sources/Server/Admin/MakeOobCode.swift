internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/projects/{project}/accounts:sendOobCode`: sends an e-mail as ``SendOobCode`` does, or with `returnOobLink`
/// returns its link for the administrator to send (contract, 3.2).
struct MakeOobCode: WritingEndpoint {
    enum Input: Sendable {
        case mail(SendOobCode.Input, AuditActor)
        case link(ActionLinkRequest, AuditActor)
    }

    enum Outcome: Sendable {
        case mail(SendOobCode.Outcome)
        case link(MadeActionLink)
    }

    let services: Services

    private var sending: SendOobCode { SendOobCode(services: services) }

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let (body, actor) = try services.administratorsCall(of: call, changing: true)
        let type = try SendOobCode.type(body)
        guard try body.bool("returnOobLink") == true else {
            return .mail(try sending.decode(type, body, call.request, by: actor.authority), actor)
        }
        let continueURL = try body.nonEmptyString("continueUrl").map { try services.allowedOrigins.check($0) }
        let purpose = try SendOobCode.purpose(type, body)
        if purpose == .emailSignIn, !services.flows.policy.emailLinkSignIn { throw Refusal.emailSignInIsOff }
        var newEmail: String?
        if purpose == .verifyAndChangeEmail {
            newEmail = try body.nonEmptyString("newEmail")
            if newEmail == nil { throw Refusal(.missingNewEmail) }
        }
        let token = try services.presentedToken(body)
        var email: String?
        if token == nil || purpose == .emailSignIn {
            email = try body.nonEmptyString("email")
            if email == nil { throw Refusal(.missingEmail) }
        }
        return .link(
            ActionLinkRequest(
                purpose: purpose,
                email: try email.map(services.address),
                token: token,
                newEmail: try newEmail.map(services.address),
                asking: try services.askingDevice(of: call.request, body),
                continueURL: continueURL,
                ids: try MailIDs()
            ),
            actor
        )
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        switch input {
        case .mail(let input, let actor):
            .mail(try sending.transact(input, services.flows.acting(as: actor), in: transaction))
        case .link(let request, let actor):
            .link(try services.flows.acting(as: actor).makeActionLink(request, in: transaction))
        }
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        if case .mail(let outcome) = outcome { sending.committed(outcome, of: call) }
    }

    func render(_ outcome: Outcome) throws -> Response {
        switch outcome {
        case .mail(let outcome):
            return try sending.render(outcome)
        case .link(let made):
            let link = ActionLink(
                purpose: made.purpose,
                code: made.code,
                locale: made.locale,
                continueURL: made.continueURL,
                requestID: made.requestID
            )
            var json = JSONWriter(capacity: 512)
            json.beginObject()
            json.member("kind", "identitytoolkit#GetOobConfirmationCodeResponse")
            json.member("email", made.email)
            json.member("oobCode", made.code)
            json.member("oobLink", services.oobLink(link))
            json.member("requestId", made.requestID)
            json.endObject()
            return .json(json.bytes)
        }
    }
}
