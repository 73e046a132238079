internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// A page of the console that shows something and changes nothing.
///
/// The person is authenticated first, in a transaction of its own. What the page shows is then read from one snapshot,
/// on a thread of the database's, because a page for operators may read more than a call may.
protocol ConsolePage: Sendable {
    associatedtype Input: Sendable
    associatedtype Found: Sendable

    static var section: ConsoleSection { get }
    var services: Services { get }
    /// Reads the request; the visit is what opaque values in it are bound to.
    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> Input
    func find(_ input: Input, for caller: ConsoleCaller, in transaction: Transaction) throws -> Found
    func show(_ found: Found, in frame: ConsoleFrame) throws -> Response
}

/// A form of the console that changes something.
///
/// The form's token, the person, their role and the age of their sign-in are checked before ``change(_:by:in:)``.
protocol ConsoleAction: Sendable {
    associatedtype Input: Sendable
    associatedtype Outcome: Sendable

    static var section: ConsoleSection { get }
    var services: Services { get }
    func decode(_ form: FormBody, _ request: Request) throws -> Input
    /// Makes the change, with flows that name the person in the audit log.
    func change(_ input: Input, by flows: AccountFlows, in transaction: Transaction) throws -> Outcome
    /// As ``ChangingEndpoint/committed(_:of:)``.
    func committed(_ outcome: Outcome)
    /// As ``ChangingEndpoint/inputAfterConstraint(_:)``, without a second attempt.
    func refuseAfterConstraint(_ input: Input) throws
    func respond(_ outcome: Outcome, in frame: ConsoleFrame) throws -> Response
}

extension ConsoleAction {
    func committed(_ outcome: Outcome) {}
    func refuseAfterConstraint(_ input: Input) throws {}
}

/// Authenticates the person of a console session.
private struct ConsoleEntry: WritingEndpoint {
    let services: Services

    func decode(_ request: Request) throws -> TokenID {
        guard let session = try services.consoleVisit(of: request).session else { throw Refusal(.tokenExpired) }
        return session
    }

    func transact(_ session: TokenID, in transaction: Transaction) throws -> ConsoleCaller {
        try services.flows.authenticate(console: session, in: transaction)
    }

    func committed(_ caller: ConsoleCaller, of call: CallContext) {}

    /// Not called: the page responds in its place.
    func render(_ caller: ConsoleCaller) throws -> Response { services.consoleRedirect(to: ConsolePath.front) }
}

/// The change of a ``ConsoleAction``, with the checks that all of them need.
struct ConsoleChange<Action: ConsoleAction>: WritingEndpoint {
    struct Input: Sendable {
        let visit: ConsoleVisit
        let session: TokenID
        let input: Action.Input
    }

    struct Outcome: Sendable {
        let visit: ConsoleVisit
        let caller: ConsoleCaller
        let outcome: Action.Outcome
    }

    let action: Action

    private var services: Services { action.services }

    func decode(_ request: Request) throws -> Input {
        let (form, visit, session) = try services.consoleForm(request)
        return Input(visit: visit, session: session, input: try action.decode(form, request))
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome {
        let caller = try services.consoleCaller(input.session, in: transaction)
        try services.flows.requireChange(by: caller, in: transaction)
        let flows = services.flows.acting(as: caller.actor)
        let outcome = try action.change(input.input, by: flows, in: transaction)
        return Outcome(visit: input.visit, caller: caller, outcome: outcome)
    }

    /// Changes of the console are rare, and an erasure may take long.
    func runsAlone(_ input: Input) -> Bool { true }

    func inputAfterConstraint(_ input: Input) throws -> Input? {
        try action.refuseAfterConstraint(input.input)
        return nil
    }

    func committed(_ outcome: Outcome, of call: CallContext) { action.committed(outcome.outcome) }

    func render(_ outcome: Outcome) throws -> Response {
        let frame = ConsoleFrame(
            services: services,
            visit: outcome.visit,
            caller: outcome.caller,
            section: Action.section
        )
        return try action.respond(outcome.outcome, in: frame)
    }
}

extension Services {
    /// Returns the administrator to whom a session of the console belongs.
    ///
    /// In development mode, which has no sign-in, it is always ``ConsoleCaller/development``.
    func consoleCaller(_ session: TokenID, in transaction: Transaction) throws -> ConsoleCaller {
        if configuration.mode == .development { return .development }
        return try flows.authenticate(console: session, in: transaction)
    }

    /// Returns the handler of a page.
    func consoleHandler<Page: ConsolePage>(_ page: Page) -> Handler {
        let entry = ConsoleEntry(services: self)
        return { request in
            let visit = try self.consoleVisit(of: request)
            let input = try page.decode(request, visit)
            if self.configuration.mode == .development {
                return self.reading(page, input, for: .development, visit)
            }
            let session = try entry.decode(request)
            return self.handling(entry, session, CallContext(client: request.clientAddress)) { caller in
                self.reading(page, input, for: caller, visit)
            }
        }
    }

    private func reading<Page: ConsolePage>(
        _ page: Page,
        _ input: Page.Input,
        for caller: ConsoleCaller,
        _ visit: ConsoleVisit
    ) -> Handling {
        .suspended { resumption in
            self.database.read(kind: "\(Page.self)", snapshot: true) {
                try page.find(input, for: caller, in: $0)
            } completion: { result in
                resumption.resume {
                    let frame = ConsoleFrame(services: self, visit: visit, caller: caller, section: Page.section)
                    return try page.show(try result.get(), in: frame)
                }
            }
        }
    }
}
