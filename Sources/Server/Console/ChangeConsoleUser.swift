internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// `GET /console/users/{uid}/{action}`: asks whether to do something to a user, and says what will happen.
struct AskConsoleUserAction: ConsolePage {
    struct Input: Sendable {
        let uid: String
        let action: ConsoleUserAction
        let session: String
    }

    struct Found: Sendable {
        let input: Input
        let details: ConsoleUserDetails
    }

    static let section = ConsoleSection.users
    let services: Services
    /// The action; `nil` if the path has it as a parameter.
    var action: ConsoleUserAction?

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> Input {
        Input(
            uid: try services.consoleUID(request),
            action: try action ?? services.consoleAction(request),
            session: request.queryValue("session").flatMap { TokenID(text: $0)?.text } ?? ""
        )
    }

    func find(_ input: Input, for caller: ConsoleCaller, in transaction: Transaction) throws -> Found {
        guard !caller.isReadOnly else { throw Refusal.readOnlyAdministrator }
        return Found(input: input, details: try ConsoleUserDetails(input.uid, services.flows, in: transaction))
    }

    func show(_ found: Found, in frame: ConsoleFrame) throws -> Response {
        let (action, user) = (found.input.action, found.details.user)
        let field: Markup =
            action == .changeAddress
            ? """
            <label for="email">New address</label><input class="text" id="email" name="email" type="email" maxlength="254" required \
            autocomplete="off">
            """ : ""
        let path = ConsolePath.user(user.uid, "/\(action.rawValue)")
        let form = try frame.form(
            path,
            action.label,
            style: action.isDangerous ? "danger" : "",
            fields: action == .endSession ? [("session", found.input.session)] : [],
            inner: field
        )
        return try frame.question(
            action.label,
            about: user.email.map(services.pages.accountAddress) ?? user.uid,
            action.consequences(for: found.details),
            form: form,
            back: ConsolePath.user(user.uid)
        )
    }
}

/// `POST /console/users/{uid}/{action}`: does something to a user.
struct ChangeConsoleUser: ConsoleAction {
    struct Input: Sendable {
        let uid: String
        let action: ConsoleUserAction
        let session: String
        let newEmail: EmailAddress?
        let notice: NoticeOpening
        let asking: AskingDevice
        let ids: MailIDs
        let place: MailPlace
    }

    struct Outcome: Sendable {
        let user: User
        let input: Input
        /// The receipt of a deleted user.
        var receipt: ErasureReceipt?
    }

    static let section = ConsoleSection.users
    let services: Services

    func decode(_ form: FormBody, _ request: Request) throws -> Input {
        let action = try services.consoleAction(request)
        return Input(
            uid: try services.consoleUID(request),
            action: action,
            session: form["session"].flatMap { TokenID(text: $0)?.text } ?? "",
            newEmail: action == .changeAddress ? try services.address(form["email"] ?? "") : nil,
            notice: try services.noticeOpening(for: request, nil),
            asking: try services.askingDevice(of: request, nil),
            ids: try MailIDs(),
            place: services.administratorsMailPlace(for: request)
        )
    }

    func change(_ input: Input, by flows: AccountFlows, in transaction: Transaction) throws -> Outcome {
        guard let user = try transaction.user(input.uid) else { throw Refusal(.userNotFound) }
        var update = UserUpdate()
        switch input.action {
        case .sendLink:
            guard let email = user.email else { throw Refusal(.missingEmail) }
            try flows.sendSignInMail(
                SignInLinkRequest(
                    email: try services.address(email),
                    token: nil,
                    asking: input.asking,
                    continueURL: nil,
                    traffic: input.place.traffic,
                    ids: input.ids
                ),
                to: user.uid,
                in: transaction
            )
            return Outcome(user: user, input: input)
        case .endSession:
            try flows.endSession(input.session, ofUser: user.uid, in: transaction)
            return Outcome(user: user, input: input)
        case .keepNew, .keepOld:
            try flows.resolve(user, keeping: input.action == .keepOld ? .old : .new, in: transaction)
            return Outcome(user: user, input: input)
        case .delete:
            guard let erasure = try flows.erase(user.uid, in: transaction) else { throw Refusal(.userNotFound) }
            return Outcome(user: user, input: input, receipt: ErasureReceipt(erasure, by: flows.actor))
        case .liftLimits:
            _ = try flows.liftLimits(ofUser: user.uid, in: transaction)
            return Outcome(user: user, input: input)
        case .export: throw RequestError.notFound  // ``ExportConsoleUser`` has the path.
        case .changeAddress:
            update.profile.email = input.newEmail
            update.profile.locale = input.notice.locale
        case .endSessions: update.validSince = transaction.now / 1000
        case .disable: update.isDisabled = true
        case .enable: update.isDisabled = false
        }
        _ = try flows.update(update, of: user.uid, notice: input.notice, in: transaction)
        return Outcome(user: user, input: input)
    }

    func refuseAfterConstraint(_ input: Input) throws { throw Delete.keptByTables }

    func committed(_ outcome: Outcome) {
        let user = outcome.user
        services.wake.mailWorkers()
        if outcome.input.action == .liftLimits { return }
        if outcome.input.action == .sendLink { outcome.input.place.accept() }
        services.changes.ended(user.uid)
        if outcome.input.action == .endSession { services.changes.hint(.sessionEnded, to: user.uid) }
        if ![.delete, .sendLink].contains(outcome.input.action) { services.changes.hint(.updated, to: user.uid) }
        let event = outcome.input.action == .delete ? "user.deleted" : "user.changed"
        services.log(event, uid: user.uid, isAnonymous: user.isAnonymous, outcome: "by-console")
    }

    func respond(_ outcome: Outcome, in frame: ConsoleFrame) throws -> Response {
        if let receipt = outcome.receipt { return try show(receipt, in: frame) }
        let path = ConsolePath.user(outcome.user.uid, "?done=\(outcome.input.action.rawValue)")
        return services.consoleRedirect(to: path)
    }

    private func show(_ receipt: ErasureReceipt, in frame: ConsoleFrame) throws -> Response {
        let facts: [(name: String, value: Markup?)] = [
            ("UID", "<code>\(receipt.uid)</code>"), ("Deleted at", Markup(receipt.at)),
            ("By", .isolated(frame.caller.name)),
        ]
        let removed = receipt.removed.sorted { $0.key < $1.key }.map { [Markup($0.key), "\($0.value)" as Markup] }
        return try frame.page(
            "receipt",
            title: "Deleted",
            parts: [
                "facts": .facts(facts),
                "removed": .table("Deleted data", ["Data", "Rows"], removed, empty: "Only the profile."),
                "stays": receipt.stays.map { "<li>\($0)</li>" as Markup }.joined(),
            ]
        )
    }
}

extension Services {
    /// The action in the path of a request.
    ///
    /// - Throws: ``RequestError`` `notFound`.
    func consoleAction(_ request: Request) throws -> ConsoleUserAction {
        guard let action = request.parameters["action"].flatMap(ConsoleUserAction.init(rawValue:)) else {
            throw RequestError.notFound
        }
        return action
    }
}
