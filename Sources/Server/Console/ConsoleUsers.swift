internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /console/users?search=TEXT&filter=KIND`: lists users, or those with a UID, address, username or subject that begins
/// with a text.
struct ConsoleUsers: ConsolePage {
    struct Input: Sendable {
        /// `nil` for a text that no user can have.
        let search: UserSearch?
        let text: String
        let filter: UserSearch.Filter?
        let position: UserSearchPosition?
    }

    struct Found: Sendable {
        let input: Input
        /// Whether a read-only administrator has not given enough of a name.
        let isTooShort: Bool
        let users: FoundUsers
        let administrators: AdministratorList
    }

    static let section = ConsoleSection.users
    /// The minimum number of characters of a read-only administrator's search.
    private static let shortestSearch = 3

    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> Input {
        let text = request.queryValue("search") ?? ""
        let filter = UserSearch.Filter(rawValue: request.queryValue("filter") ?? "")
        guard let search = UserSearch(text, filter: filter) else {
            return Input(search: nil, text: String(text.prefix(80)), filter: filter, position: nil)
        }
        let position = try services.pagePosition(request, of: Self.list(search), visit)
        return Input(
            search: search,
            text: search.text,
            filter: filter,
            position: position.flatMap { UserSearchPosition(text: $0) }
        )
    }

    func find(_ input: Input, for caller: ConsoleCaller, in transaction: Transaction) throws -> Found {
        // A read-only administrator finds users, and cannot copy the list of all.
        let isTooShort = caller.isReadOnly && input.text.count < Self.shortestSearch
        let users =
            try isTooShort
            ? nil
            : input.search.map { try transaction.users($0, after: input.position, limit: Services.consoleRows) }
        return Found(
            input: input,
            isTooShort: isTooShort,
            users: FoundUsers(users: users?.users ?? [], next: caller.isReadOnly ? nil : users?.next),
            administrators: try transaction.administratorList()
        )
    }

    func show(_ found: Found, in frame: ConsoleFrame) throws -> Response {
        let input = found.input
        let rows = found.users.users.map { row($0, found.administrators) }
        let columns = ["UID", "Address", "Username", "Kind", "Created", "Last used"]
        return try frame.page(
            "users",
            title: "Users",
            ["search": input.text],
            parts: [
                "filters": filters(input),
                "notice": input.search == nil
                    ? "<p class=\"alert\" role=\"alert\">No user has a name or address like that: it is too long.</p>"
                    : "",
                "users": .table("Users", columns, rows, empty: empty(found)),
                "next": .next(try next(found, frame)),
            ],
            status: input.search == nil ? 400 : 200
        )
    }

    private func row(_ found: FoundUser, _ administrators: AdministratorList) -> [Markup] {
        let user = found.user
        return [
            .link("<code>\(user.uid)</code>", to: ConsolePath.user(user.uid)),
            .isolated(user.email.map(services.pages.accountAddress)),
            .text(found.username),
            Self.kind(of: user, administrators[user.uid]),
            .time(user.createdAt),
            .time(user.lastRefreshAt),
        ]
    }

    /// The kind of a user, with marks.
    static func kind(of user: User, _ role: AdministratorRole?) -> Markup {
        var kind = Markup(user.isAnonymous ? "Guest" : "Permanent")
        if user.disabledAt != nil { kind = kind + .badge("disabled", isBad: true) }
        if user.contest != nil { kind = kind + .badge("contested", isBad: true) }
        switch role {
        case .full: kind = kind + .badge("administrator")
        case .readOnly: kind = kind + .badge("read-only administrator")
        case nil: break
        }
        return kind
    }

    private func filters(_ input: Input) -> Markup {
        let kinds: [(String, UserSearch.Filter?)] = [
            ("All", nil), ("Guests", .guests), ("Permanent", .permanent), ("Disabled", .disabled),
            ("Contested", .contested),
        ]
        return kinds.map { label, filter -> Markup in
            let value = filter?.rawValue ?? ""
            return filter == input.filter
                ? "<label><input type=\"radio\" name=\"filter\" value=\"\(value)\" checked> \(label)</label>"
                : "<label><input type=\"radio\" name=\"filter\" value=\"\(value)\"> \(label)</label>"
        }.joined()
    }

    private func empty(_ found: Found) -> String {
        if found.isTooShort {
            return "Search by at least three characters. Only other administrators see the list of all."
        }
        if found.users.next != nil { return "None on this page. The search goes on on the next one." }
        return found.input.text.isEmpty ? "There are none." : "No user has a field that begins with this text."
    }

    private func next(_ found: Found, _ frame: ConsoleFrame) throws -> String? {
        guard let next = found.users.next, let search = found.input.search else { return nil }
        let token = try services.pageToken(next.text, of: Self.list(search), frame.visit)
        return "\(ConsolePath.users)?search=\(ConsolePath.encoded(search.text))&filter=\(search.filter?.rawValue ?? "")"
            + "&after=\(token)"
    }

    private static func list(_ search: UserSearch) -> String { "users \(search.filter?.rawValue ?? "") \(search.text)" }
}
