internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `GET /emulator/action`: opens an `oobLink` (contract, 3.14).
///
/// A sign-in link leads on to the app with its code, which is not even looked at. What the emulator does to an address at
/// once waits here for the form on a page, or for a POST to the same URL.
struct EmulatorAction: ReadingEndpoint {
    enum Input: Sendable {
        case answer(Response)
        case confirm(PageLink, ActionPurpose)
    }

    let services: Services

    static let path = "/emulator/action"
    /// The key in the emulator's links.
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

/// `POST /emulator/action`: does what the link is for, and says so as the emulator does.
struct ApplyEmulatorAction: WritingEndpoint {
    enum Input: Sendable {
        case answer(Response)
        case apply(PageLink, ActionPurpose, MailIDs)
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
            return .apply(link, purpose, try MailIDs())
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

    func render(_ outcome: Outcome) throws -> Response {
        switch outcome {
        case .answer(let response): return response
        case .applied(let applied, let link):
            services.announce(applied)
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

/// What an `oobLink` asks for.
private enum EmulatorActionRequest {
    /// Answered without looking at the code.
    case answer(Response)
    case confirm(ActionPurpose)
}

extension Services {
    /// Reads the query in the order and with the words of the emulator.
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
                        ("instructions", "There are no passwords; sign in by a mailed link."),
                    ]
                )
            )
        case let mode:
            guard let purpose = ActionPurpose.allCases.first(where: { $0.mode == mode }) else {
                let modes = ActionPurpose.allCases.map(\.mode).joined(separator: ", ")
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

    /// Leads on to the app, which redeems the code.
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
        let handed = ["mode", "lang", "oobCode", "apiKey"].compactMap { name in
            request.queryValue(name).map { "\(name)=\(PercentEncoding.component($0))" }
        }
        return pages.redirect(to: "\(target)\(target.contains("?") ? "&" : "?")\(handed.joined(separator: "&"))")
    }

    /// The link of a request, if its code is for what the link says.
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
    /// How the emulator speaks of what such a link does.
    fileprivate var emulatorWords: (verb: String, done: String) {
        switch self {
        case .emailSignIn, .verifyEmail: ("verify", "verified")
        case .verifyAndChangeEmail: ("change", "changed")
        case .recoverEmail: ("revert", "reset")
        }
    }

    /// The answer for a link that cannot be used.
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
    /// An answer in the emulator's own wrapping.
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
