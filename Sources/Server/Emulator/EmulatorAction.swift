internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `GET /emulator/action`: opens an `oobLink` (contract, 3.14).
///
/// A sign-in link redirects to the app with its code, without checking the code. Where the emulator changes an address
/// at once, this server waits for the form on a page, or for a POST to the same URL.
struct EmulatorAction: ReadingEndpoint {
    enum Input: Sendable {
        case answer(Response)
        case confirm(PageLink, ActionPurpose)
    }

    let services: Services

    static let path = "/emulator/action"
    /// The API key in the emulator's links.
    static let apiKey = "fake-api-key"

    func decode(_ request: Request) throws -> Input {
        switch try services.emulatorAction(of: request) {
        case .answer(let response): .answer(response)
        case .confirm(let purpose):
            try services.emulatorLink(of: request, purpose).map { .confirm($0, purpose) }
                ?? .answer(purpose.isOver)
        }
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Response {
        switch input {
        case .answer(let response): return response
        case .confirm(let link, let purpose):
            do {
                let question = try services.flows.question(of: link.code, in: transaction)
                let target = services.continuation(of: question.code.continueURL)
                return services.pages.ask(question, link, leadingTo: target)
            } catch is Refusal {
                return purpose.isOver
            }
        }
    }

    func render(_ response: Response) throws -> Response { response }
}

/// `POST /emulator/action`: applies the link, and responds as the emulator does; a sign-in link redirects to the app as
/// with GET.
struct ApplyEmulatorAction: WritingEndpoint {
    enum Input: Sendable {
        case answer(Response)
        case apply(PageLink, ActionPurpose, NoticeOpening)
    }

    enum Outcome: Sendable {
        case answer(Response)
        case applied(AppliedAction, PageLink)
    }

    let services: Services

    func decode(_ request: Request) throws -> Input {
        switch try services.emulatorAction(of: request) {
        case .answer(let response): return .answer(response)
        case .confirm(let purpose):
            guard let link = try services.emulatorLink(of: request, purpose) else { return .answer(purpose.isOver) }
            return .apply(link, purpose, try services.noticeOpening(for: request, nil))
        }
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        switch input {
        case .answer(let response): return .answer(response)
        case .apply(let link, let purpose, let notice):
            do {
                return .applied(
                    try services.flows.applyActionCode(link.code, by: .page, notice: notice, in: transaction),
                    link
                )
            } catch let refusal as Refusal where [.invalidOobCode, .expiredOobCode].contains(refusal.code) {
                throw RolledBack(outcome: Outcome.answer(purpose.isOver))
            }
        }
    }

    func committed(_ outcome: Outcome, of call: CallContext) {
        if case .applied(let applied, _) = outcome { services.announce(applied) }
    }

    func render(_ outcome: Outcome) throws -> Response {
        switch outcome {
        case .answer(let response): return response
        case .applied(let applied, let link):
            if applied.isContest { return services.pages.show(applied, link) }
            if let url = link.continueURL { return services.pages.redirect(to: url) }
            let isNew = applied.purpose == .verifyAndChangeEmail
            return .emulator([
                ("success", "The email has been successfully \(applied.purpose.emulatorWords.done)."),
                (isNew ? "newEmail" : "email", applied.email),
            ])
        }
    }
}

/// The content of a request with an `oobLink`.
private enum EmulatorActionRequest {
    /// The response is known without reading the code.
    case answer(Response)
    case confirm(ActionPurpose)
}

extension Services {
    /// Checks the query in the order and with the messages of the emulator.
    fileprivate func emulatorAction(of request: Request) throws -> EmulatorActionRequest {
        for name in ["apiKey", "oobCode"] where request.queryValue(name)?.isEmpty != false {
            return .answer(
                .emulator(
                    status: 400,
                    [
                        ("error", "missing \(name) query parameter"),
                        ("instructions", "Add &\(name)=… to the URL, as the link in oobCodes has it."),
                    ]
                )
            )
        }
        switch request.queryValue("mode") {
        case ActionPurpose.emailSignIn.mode: return .answer(try emulatorSignIn(request))
        case "resetPassword":
            return .answer(
                .emulator(
                    status: 400,
                    [
                        (
                            "error",
                            "Your request to reset your password has expired or the link has already been used."
                        ),
                        ("instructions", "There are no passwords; sign in with an e-mail link."),
                    ]
                )
            )
        case let mode:
            let purposes = ActionPurpose.allCases.filter { $0 != .revertMethodChange }
            guard let purpose = purposes.first(where: { $0.mode == mode }) else {
                let modes = purposes.map(\.mode).joined(separator: ", ")
                return .answer(
                    .emulator(
                        status: 400,
                        [("error", "Invalid mode"), ("instructions", "Supported modes are: \(modes).")]
                    )
                )
            }
            return .confirm(purpose)
        }
    }

    /// Returns the redirect to the app, which redeems the code; status 400 without a continue URL.
    ///
    /// - Throws: ``Refusal`` for a continue URL that is not allowed.
    private func emulatorSignIn(_ request: Request) throws -> Response {
        guard let continueURL = request.queryValue("continueUrl"), !continueURL.isEmpty else {
            return .emulator(
                status: 400,
                [
                    ("error", "Missing continueUrl query parameter"),
                    ("instructions", "To sign in, append &continueUrl=YOUR_APP_URL to the link."),
                ]
            )
        }
        let target = try allowedOrigins.check(continueURL)
        var handed = ["mode", "lang", "oobCode", "apiKey"].compactMap { name in
            request.queryValue(name).map { "\(name)=\(PercentEncoding.component($0))" }
        }
        if let id = ActionLink.requestID(in: request) { handed.append("\(ActionLink.requestIDParameter)=\(id)") }
        return pages.redirect(to: "\(target)\(target.contains("?") ? "&" : "?")\(handed.joined(separator: "&"))")
    }

    /// Returns the link of a request, if its code has a valid signature and the given purpose; otherwise `nil`.
    fileprivate func emulatorLink(of request: Request, _ purpose: ActionPurpose) throws -> PageLink? {
        let link = try pageLink(
            code: request.queryValue("oobCode"),
            language: request.queryValue("lang"),
            continueURL: request.queryValue("continueUrl"),
            request
        )
        return link.flatMap { $0.code.purpose == purpose ? $0 : nil }
    }
}

extension ActionPurpose {
    /// The emulator's words for the action of a link with this purpose: the verb and its participle.
    fileprivate var emulatorWords: (verb: String, done: String) {
        switch self {
        case .emailSignIn, .verifyEmail: ("verify", "verified")
        case .verifyAndChangeEmail: ("change", "changed")
        case .recoverEmail, .revertMethodChange: ("revert", "reset")
        }
    }

    /// The response, with status 400, to a link with this purpose that cannot be used.
    fileprivate var isOver: Response {
        let verb = emulatorWords.verb
        return .emulator(
            status: 400,
            [
                ("error", "Your request to \(verb) your email has expired or the link has already been used."),
                ("instructions", "Ask for a new link to \(verb) the email."),
            ]
        )
    }
}

extension Response {
    /// A response in the emulator's format.
    fileprivate static func emulator(status: Int = 200, _ members: [(name: String, value: String)]) -> Response {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.beginObject("authEmulator")
        for (name, value) in members { json.member(name, value) }
        json.endObject()
        json.endObject()
        return .json(status: status, json.bytes)
    }
}
