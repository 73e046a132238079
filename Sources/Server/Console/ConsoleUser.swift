internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

/// What the console shows of one user.
struct ConsoleUserDetails: Sendable {
    let user: User
    let username: String?
    let identities: [LinkedIdentity]
    let sessions: [Session]
    let documents: [ListedDocument]
    let merges: [ListedMerge]
    /// The newest requests for e-mails by the user or to the user's address.
    let mails: [TracedRequestReport]
    /// Until when the address gets no e-mail; `nil` if it gets e-mails.
    let suppressedUntil: Int64?
    let role: AdministratorRole?
    /// The newest entries of the audit log.
    let audit: [AuditEntry]

    /// Reads the details.
    ///
    /// - Throws: ``Refusal`` USER_NOT_FOUND; ``ConsoleError`` for a user who was deleted or merged.
    init(_ uid: String, documentsAfter last: DocumentName? = nil, _ flows: AccountFlows, in transaction: Transaction)
        throws
    {
        guard let user = try transaction.user(uid) else { throw try Self.gone(uid, in: transaction) }
        self.user = user
        username = try transaction.username(of: uid)
        identities = try transaction.linkedIdentities(of: uid).sorted { $0.linkedAt < $1.linkedAt }
        sessions = try flows.sessions(ofUser: uid, in: transaction)?.sessions ?? []
        documents = try transaction.listedDocuments(of: uid, after: last, limit: Int64(Services.consoleRows) + 1)
        merges = try transaction.merges(about: uid, limit: 20)
        let requests = try transaction.traces(of: flows.traceSubject(of: user), before: nil, limit: 20)
        mails = try transaction.reports(on: requests, address: user.email)
        suppressedUntil = try user.email.flatMap { email in
            try transaction.suppressions(among: flows.traceKeys(of: email)).first?.until
        }
        role = try transaction.administratorList()[uid]
        var filter = AuditFilter()
        filter.uid = uid
        audit = try flows.auditPage(filter, limit: 20, in: transaction).entries
    }

    private static func gone(_ uid: String, in transaction: Transaction) throws -> any Error {
        guard let former = try transaction.formerUser(uid) else { return Refusal(.userNotFound) }
        let time = Timestamp.minute(milliseconds: former.goneAt)
        return ConsoleError(
            heading: former.mergedInto == nil ? "Deleted" : "Merged",
            message: former.mergedInto.map { "\(uid) was merged into \($0) at \(time)." }
                ?? "\(uid) was deleted at \(time).",
            status: 404
        )
    }
}

/// `GET /console/users/{uid}`: shows one user.
struct ConsoleUser: ConsolePage {
    struct Input: Sendable {
        let uid: String
        let documentsAfter: DocumentName?
        let done: ConsoleUserAction?
    }

    struct Found: Sendable {
        let input: Input
        let details: ConsoleUserDetails
    }

    static let section = ConsoleSection.users
    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> Input {
        let uid = try services.consoleUID(request)
        let last = try services.pagePosition(request, of: "documents \(uid)", visit)
        let parts = last?.split(separator: "/", maxSplits: 1).map(String.init) ?? []
        return Input(
            uid: uid,
            documentsAfter: parts.count == 2 ? DocumentName(storedCollection: parts[0], id: parts[1]) : nil,
            done: request.queryValue("done").flatMap(ConsoleUserAction.init(rawValue:))
        )
    }

    func find(_ input: Input, for caller: ConsoleCaller, in transaction: Transaction) throws -> Found {
        let details = try ConsoleUserDetails(
            input.uid,
            documentsAfter: input.documentsAfter,
            services.flows,
            in: transaction
        )
        return Found(input: input, details: details)
    }

    func show(_ found: Found, in frame: ConsoleFrame) throws -> Response {
        let details = found.details
        return try frame.page(
            "user",
            title: details.user.uid,
            ["uid": details.user.uid],
            parts: [
                "done": found.input.done.map { "<p class=\"notice\" role=\"status\">\($0.done)</p>" } ?? "",
                "facts": facts(details),
                "methods": methods(details),
                "sessions": sessions(details, frame),
                "documents": try documents(details, frame),
                "mails": mails(details),
                "merges": merges(details),
                "audit": ConsoleAudit.table(details.audit, showingUsers: false, empty: "None.")
                    + .link("All entries", to: "\(ConsolePath.audit)?user=\(ConsolePath.encoded(details.user.uid))"),
                "actions": actions(details, frame),
            ]
        )
    }

    private func facts(_ details: ConsoleUserDetails) -> Markup {
        let user = details.user
        var facts: [(name: String, value: Markup?)] = [("Kind", ConsoleUsers.kind(of: user, details.role))]
        if let email = user.email {
            let mark: Markup = user.emailVerifiedAt == nil ? .badge("not confirmed", isBad: true) : ""
            facts.append(("Address", .isolated(services.pages.accountAddress(email)) + mark))
        }
        if let contest = user.contest {
            let address = services.pages.accountAddress(contest.oldEmail)
            facts.append(("Contested by", "<bdi>\(address)</bdi> since \(.time(contest.since))"))
        }
        facts.append(("No e-mails until", details.suppressedUntil.map { .time($0) }))
        let texts = [
            ("Username", details.username), ("Name", user.displayName), ("Screen name", user.screenName),
            ("Claims", user.customAttributes),
        ]
        for (name, text) in texts { facts.append((name, text.map { .isolated($0) })) }
        let times: [(String, Int64?)] = [
            ("Disabled", user.disabledAt), ("Created", user.createdAt), ("Last sign-in", user.lastLoginAt),
            ("Last used", user.lastRefreshAt), ("Imported", user.importedAt),
        ]
        for (name, time) in times { facts.append((name, time.map { .time($0) })) }
        return .facts(facts)
    }

    private func methods(_ details: ConsoleUserDetails) -> Markup {
        let user = details.user
        var rows: [[Markup]] = []
        if let email = user.email, user.emailLinkAt != nil {
            let address = services.pages.accountAddress(email)
            rows.append(["E-mail link", .isolated(address), "–", .time(user.emailVerifiedAt)])
        }
        for linked in details.identities {
            let identity = linked.identity
            rows.append([
                Markup(MethodName.of(identity.provider)), .isolated(identity.email ?? identity.displayName),
                "<code>\(identity.subject)</code>", .time(linked.linkedAt),
            ])
        }
        if let since = user.customAuthAt { rows.append(["Custom token", "–", "–", .time(since)]) }
        return .table("Sign-in methods", ["Method", "Name", "Subject", "Since"], rows, empty: "None.")
    }

    private func sessions(_ details: ConsoleUserDetails, _ frame: ConsoleFrame) -> Markup {
        let rows = details.sessions.map { session -> [Markup] in
            let path = ConsolePath.user(
                details.user.uid,
                "/\(ConsoleUserAction.endSession.rawValue)?session=\(session.sid)"
            )
            return [
                .isolated(session.device.isEmpty ? "Unknown device" : session.device), .text(session.network),
                Self.method(of: session), .time(session.createdAt), .time(session.lastUsedAt),
                frame.caller.isReadOnly ? "–" : .link("End…", to: path),
            ]
        }
        let columns = ["Device", "Network", "Signed in by", "Began", "Last used", "Action"]
        return .table("Sessions", columns, rows, empty: "None.")
    }

    private static func method(of session: Session) -> Markup {
        switch session.provider {
        case .emailLink: "E-mail link"
        case .custom: "Custom token"
        case .anonymous: "Guest"
        default: Markup(MethodName.of(session.provider.rawValue))
        }
    }

    private func documents(_ details: ConsoleUserDetails, _ frame: ConsoleFrame) throws -> Markup {
        let uid = details.user.uid
        let shown = details.documents.prefix(Services.consoleRows)
        let rows = try shown.map { document -> [Markup] in
            let name = document.name
            let form =
                frame.caller.isReadOnly
                ? "–"
                : try frame.form(
                    ConsolePath.user(uid, "/document"),
                    "Show, and record it",
                    style: "quiet small",
                    fields: [("collection", name.collection), ("id", name.id)]
                )
            return [
                "<code>\(name.collection)/\(name.id)</code>", "\(document.bytes) bytes", .time(document.updatedAt),
                form,
            ]
        }
        var next: String?
        if details.documents.count > Services.consoleRows, let last = shown.last?.name {
            let token = try services.pageToken("\(last.collection)/\(last.id)", of: "documents \(uid)", frame.visit)
            next = ConsolePath.user(uid, "?after=\(token)")
        }
        return .table("Documents", ["Name", "Size", "Written", "Content"], rows, empty: "None.") + .next(next)
    }

    private func mails(_ details: ConsoleUserDetails) -> Markup {
        let rows = details.mails.enumerated().map { place, request -> [Markup] in
            let events = request.events.map { event -> Markup in
                let words: [String?] = [
                    event.count > 1 ? "\(event.count) times" : nil, event.device, event.detail,
                    event.looksLikeScanner == true ? "probably a scanner" : nil,
                ]
                let network = event.network.map { " from <code>\($0)</code>" as Markup } ?? ""
                let parts = words.compactMap(\.self).map { " · <bdi>\($0)</bdi>" as Markup }.joined()
                return "<li>\(Self.moment(event.at)) <strong>\(event.event)</strong>\(network)\(parts)</li>"
            }
            // Older requests need no advice any more.
            let advice: Markup = place == 0 ? request.advice.map { "<p class=\"muted\">\($0)</p>" } ?? "" : ""
            return [
                Self.moment(request.at), "<span class=\"whole\">\(Markup.text(request.kind))</span>",
                "\(request.summary)\(advice)",
                """
                <details><summary>\(request.events.count) \(request.events.count == 1 ? "event" : "events")</summary>\
                <ul class="plain">\(events.joined())</ul></details>
                """,
            ]
        }
        return .table(
            "E-mails",
            ["Requested", "Kind", "Result", "Trace"],
            rows,
            empty: "None that the trace still has."
        )
    }

    /// A time in UTC, to the second, from its text in RFC 3339.
    private static func moment(_ text: String) -> Markup {
        "<time datetime=\"\(text)\">\(String(text.prefix(19)).replacing("T", with: " "))</time>"
    }

    private func merges(_ details: ConsoleUserDetails) -> Markup {
        let rows = details.merges.map { listed -> [Markup] in
            let merge = listed.merge
            let report: Markup =
                merge.report.map { text in
                    let value = try? JSONValue.parse([UInt8](text.utf8))
                    let pretty = value.map { String(decoding: $0.serialized(), as: UTF8.self) } ?? text
                    return "<details><summary>Report</summary><pre tabindex=\"0\">\(pretty)</pre></details>"
                } ?? "–"
            return [
                .link("<code>\(merge.uid)</code>", to: ConsolePath.user(merge.uid)),
                .link("<code>\(merge.targetUID)</code>", to: ConsolePath.user(merge.targetUID)),
                Markup(merge.state.rawValue), .time(listed.createdAt), report,
            ]
        }
        return .table("Merges", ["Guest", "Into", "State", "When", "Report"], rows, empty: "None in the last week.")
    }

    private func actions(_ details: ConsoleUserDetails, _ frame: ConsoleFrame) -> Markup {
        guard !frame.caller.isReadOnly else {
            return "<p class=\"muted\">A read-only administrator changes nothing.</p>"
        }
        let links = ConsoleUserAction.allCases.filter { $0 != .endSession && $0.applies(to: details) }.map { action in
            let style = action.isDangerous ? "button danger small" : "button quiet small"
            let path = ConsolePath.user(details.user.uid, "/\(action.rawValue)")
            return "<li><a class=\"\(style)\" href=\"\(path)\">\(action.label)…</a></li>" as Markup
        }
        return "<ul class=\"choices\">\(links.joined())</ul>"
    }
}

extension Services {
    /// The UID in the path of a request.
    ///
    /// - Throws: ``Refusal`` USER_NOT_FOUND for a text that is longer than any UID.
    func consoleUID(_ request: Request) throws -> String {
        guard let uid = request.parameters["uid"], uid.utf8.count <= UserSearch.longestText else {
            throw Refusal(.userNotFound)
        }
        return uid
    }
}
