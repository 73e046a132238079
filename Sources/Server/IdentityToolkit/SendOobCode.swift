internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `POST /v1/accounts:sendOobCode`: sends an e-mail with a link (contract, 3.2).
struct SendOobCode: WritingEndpoint {
    struct Input: Sendable {
        let mail: Mail
        /// The place of the request in the order of its network's requests for e-mails, which affects whether the
        /// request is refused and when the e-mail is sent.
        let place: MailPlace
        /// The solved proof-of-work challenge, which the transaction marks as used; `nil` if the request has no valid
        /// solution and needs none.
        let payment: ChallengePayment?
    }

    enum Mail: Sendable {
        case signIn(SignInLinkRequest)
        case action(EmailActionRequest)
    }

    enum Outcome: Sendable {
        case ticket(Ticket, MailPlace)
        case email(String, MailPlace)
    }

    let services: Services

    /// The request types in the order of their numbers (contract, 1.3).
    private static let types = [
        "OOB_REQ_TYPE_UNSPECIFIED", "PASSWORD_RESET", "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", "VERIFY_EMAIL",
        "RECOVER_EMAIL", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL", "REVERT_SECOND_FACTOR_ADDITION",
    ]

    func decode(_ call: AuthorizedRequest) throws -> Input {
        let body = try services.body(of: call)
        let type = try Self.type(body)
        if try body.bool("returnOobLink") == true {
            throw services.insufficientPermission(
                "Only authenticated requests can return an out-of-band link.",
                call.request
            )
        }
        return try decode(type, body, call.request, by: nil)
    }

    /// Reads the member `requestType`, such as `EMAIL_SIGNIN`.
    ///
    /// A text that is no known type is returned as it is.
    ///
    /// - Throws: ``Refusal`` MISSING_REQ_TYPE, or ``RequestError`` for a value that is no string and no known number.
    static func type(_ body: RequestBody) throws -> String {
        guard let type = try body.word("requestType", of: types), !type.isEmpty, type != types[0] else {
            throw Refusal(.missingRequestType)
        }
        return type
    }

    /// Returns the purpose of the link for a request type.
    ///
    /// - Throws: for `PASSWORD_RESET` ``Refusal`` OPERATION_NOT_ALLOWED, or MISSING_EMAIL without an e-mail address;
    ///   ``RequestError`` for an unknown type, or one that Latchkey does not implement.
    static func purpose(_ type: String, _ body: RequestBody) throws -> ActionPurpose {
        switch type {
        case "EMAIL_SIGNIN": return .emailSignIn
        case "VERIFY_EMAIL": return .verifyEmail
        case "VERIFY_AND_CHANGE_EMAIL": return .verifyAndChangeEmail
        case "PASSWORD_RESET":
            guard try body.nonEmptyString("email") != nil else { throw Refusal(.missingEmail) }
            throw Refusal.noPasswords
        default:
            guard types.contains(type) else { throw RequestError.schema("/requestType must be a known type") }
            throw RequestError.notImplemented("Latchkey does not support requests of type \(type).")
        }
    }

    /// Decodes a request for an e-mail, and counts it against the limits of the client.
    ///
    /// Unless an administrator sends the request, it may have to contain a solved proof-of-work challenge.
    ///
    /// - Parameters:
    ///   - type: the request type.
    ///   - body: the body of the request.
    ///   - request: the request.
    ///   - authority: the authority of an administrator; `nil` for a client.
    /// - Throws: ``Refusal`` or ``RequestError`` for the client.
    func decode(
        _ type: String,
        _ body: RequestBody,
        _ request: Request,
        by authority: AdministratorAuthority?
    ) throws -> Input {
        do {
            return try admitted(type, body, request, by: authority)
        } catch let refusal as Refusal {
            let isSignIn = type == "EMAIL_SIGNIN"
            let text = try? body.nonEmptyString(isSignIn ? "email" : "newEmail")
            services.traceRefusal(
                refusal,
                of: text.flatMap { try? EmailAddress(parsing: $0).canonical },
                kind: isSignIn ? .signIn : .changeEmail,
                device: services.deviceName(of: request),
                from: request.clientAddress
            )
            throw refusal
        }
    }

    private func admitted(
        _ type: String,
        _ body: RequestBody,
        _ request: Request,
        by authority: AdministratorAuthority?
    ) throws -> Input {
        let continueURL = try body.nonEmptyString("continueUrl").map { try services.allowedOrigins.check($0) }
        let limiter = services.limiters.links
        var payment: ChallengePayment?
        if authority != nil {
            try limiter.use(request.clientAddress, at: services.clock())
        } else {
            payment = try services.admit(.sendOobCode, request, to: limiter)
        }
        let (mail, place) = try self.mail(try Self.purpose(type, body), body, continueURL, request, authority)
        return Input(mail: mail, place: place, payment: payment)
    }

    private func mail(
        _ purpose: ActionPurpose,
        _ body: RequestBody,
        _ continueURL: String?,
        _ request: Request,
        _ authority: AdministratorAuthority?
    ) throws -> (Mail, MailPlace) {
        switch purpose {
        case .emailSignIn: return try signIn(body, continueURL, request, authority)
        case .verifyEmail, .recoverEmail, .revertMethodChange:
            return try action(body, continueURL, request, authority, newEmail: nil)
        case .verifyAndChangeEmail:
            guard let text = try body.nonEmptyString("newEmail") else { throw Refusal(.missingNewEmail) }
            guard try body.nonEmptyString("idToken", limit: 16_384) != nil else { throw Refusal(.missingIDToken) }
            return try action(body, continueURL, request, authority, newEmail: try services.address(text))
        }
    }

    private func signIn(
        _ body: RequestBody,
        _ continueURL: String?,
        _ request: Request,
        _ authority: AdministratorAuthority?
    ) throws -> (Mail, MailPlace) {
        guard services.flows.policy.emailLinkSignIn else { throw Refusal.emailSignInIsOff }
        guard let text = try body.nonEmptyString("email") else { throw Refusal(.missingEmail) }
        let email = try services.address(text)
        let token = try services.presentedToken(body)
        // A review address gets no e-mail.
        let isCounted = services.flows.reviewAddress(email.canonical, at: services.clock()) == nil
        let place = try place(of: request, authority, mayHaveHistory: token != nil || !isCounted)
        var order = SignInLinkRequest(
            email: email,
            token: token,
            asking: try services.askingDevice(of: request, body),
            continueURL: continueURL,
            traffic: place.traffic,
            ids: try MailIDs()
        )
        order.showsCode = !request.isOfFirebaseSDK
        order.authority = authority
        return (.signIn(order), place)
    }

    private func place(
        of request: Request,
        _ authority: AdministratorAuthority?,
        mayHaveHistory: Bool
    ) throws -> MailPlace {
        try authority != nil
            ? services.administratorsMailPlace(for: request)
            : services.mailPlace(for: request, mayHaveHistory: mayHaveHistory)
    }

    private func action(
        _ body: RequestBody,
        _ continueURL: String?,
        _ request: Request,
        _ authority: AdministratorAuthority?,
        newEmail: EmailAddress?
    ) throws -> (Mail, MailPlace) {
        guard let token = try services.presentedToken(body) else { throw Refusal(.invalidIDToken) }
        let place = try place(of: request, authority, mayHaveHistory: true)
        var order = EmailActionRequest(
            token: token,
            newEmail: newEmail,
            asking: try services.askingDevice(of: request, body),
            continueURL: continueURL,
            traffic: place.traffic,
            ids: try MailIDs()
        )
        order.authority = authority
        return (.action(order), place)
    }

    // A sign-in e-mail that no session asks for depends on counters only.
    func isolation(_ input: Input) -> Isolation {
        guard case .signIn(let request) = input.mail else { return .serializable }
        return request.token == nil && request.authority == nil ? .readCommitted : .serializable
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        try transact(input, services.flows, in: transaction)
    }

    /// Does the work for the actor of `flows`.
    func transact(_ input: Input, _ flows: AccountFlows, in transaction: Transaction) throws -> Outcome {
        try flows.spend(input.payment, in: transaction)
        return switch input.mail {
        case .signIn(let request): .ticket(try flows.requestSignInLink(request, in: transaction), input.place)
        case .action(let request): .email(try flows.requestEmailAction(request, in: transaction), input.place)
        }
    }

    // Requests without a session share transactions, because those of one client raise the same counters.
    func sharedKey(_ input: Input) -> String? {
        guard case .signIn(let request) = input.mail, isolation(input) == .readCommitted, input.payment == nil else {
            return nil
        }
        return request.asking.client
    }

    func transact(_ inputs: [Input], in transaction: Transaction) throws -> [SharedOutcome<Outcome>] {
        let requests = inputs.compactMap { input -> SignInLinkRequest? in
            if case .signIn(let request) = input.mail { request } else { nil }
        }
        let results = try services.flows.requestSignInLinks(requests, in: transaction)
        return zip(inputs, results).map { input, result in
            result.map { .answered($0.map { .ticket($0, input.place) }) } ?? .postponed
        }
    }

    func refused(_ refusal: Refusal, _ input: Input, of call: CallContext) {
        switch input.mail {
        case .signIn(let request):
            services.traceRefusal(
                refusal,
                of: request.email.canonical,
                kind: .signIn,
                uid: request.token?.uid,
                device: request.asking.name,
                from: call.client
            )
        case .action(let request):
            services.traceRefusal(
                refusal,
                of: request.newEmail?.canonical,
                kind: request.newEmail == nil ? .verifyEmail : .changeEmail,
                uid: request.token.uid,
                device: request.asking.name,
                from: call.client
            )
        }
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        services.wake.mailWorkers()
        switch outcome {
        case .ticket(let ticket, let place) where ticket.mailState != .none:
            place.accept()
            services.metrics.count(.asked)
        case .ticket: break
        case .email(_, let place): place.accept()
        }
    }

    func render(_ outcome: Outcome) throws -> Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("kind", "identitytoolkit#GetOobConfirmationCodeResponse")
        switch outcome {
        case .ticket(let ticket, _):
            json.member("email", ticket.email)
            json.member("requestId", ticket.id)
            json.member("ticket", try services.wireTicket(ticket))
            json.member("confirmation", try services.flows.confirmation(of: ticket))
            // The life of the link and the code, from when their e-mail is sent.
            json.member("expiresIn", String(services.flows.policy.signInLinkLife / 1000))
        case .email(let email, _):
            json.member("email", email)
        }
        json.endObject()
        return .json(json.bytes)
    }
}
