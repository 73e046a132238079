internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /console/audit?user=UID&actor=ACTOR`: the audit log, the newest entry first.
struct ConsoleAudit: ConsolePage {
    struct Input: Sendable {
        let filter: AuditFilter
        let before: Int64?
    }

    struct Found: Sendable {
        let input: Input
        let page: AuditPage
    }

    static let section = ConsoleSection.audit
    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> Input {
        func text(_ name: String) throws -> String? {
            guard let text = request.queryValue(name), !text.isEmpty else { return nil }
            guard text.utf8.count <= 2 * UserSearch.longestText else {
                throw ConsoleError(heading: "Too long", message: "No entry has a user or an actor like that.")
            }
            return text
        }
        var filter = AuditFilter()
        filter.uid = try text("user")
        filter.actor = try text("actor")
        let position = try services.pagePosition(request, of: Self.list(filter), visit)
        return Input(filter: filter, before: position.flatMap { Int64($0) })
    }

    func find(_ input: Input, for caller: ConsoleCaller, in transaction: Transaction) throws -> Found {
        let page = try services.flows.auditPage(
            input.filter,
            before: input.before,
            limit: Int64(Services.consoleRows),
            in: transaction
        )
        return Found(input: input, page: page)
    }

    func show(_ found: Found, in frame: ConsoleFrame) throws -> Response {
        let filter = found.input.filter
        var next: String?
        if let number = found.page.next {
            let token = try services.pageToken(String(number), of: Self.list(filter), frame.visit)
            next =
                "\(ConsolePath.audit)?user=\(ConsolePath.encoded(filter.uid ?? ""))"
                + "&actor=\(ConsolePath.encoded(filter.actor ?? ""))&after=\(token)"
        }
        return try frame.page(
            "audit",
            title: "Audit",
            ["user": filter.uid ?? "", "actor": filter.actor ?? ""],
            parts: [
                "entries": Self.table(found.page.entries, empty: "There are no such entries."), "next": .next(next),
            ]
        )
    }

    private static func list(_ filter: AuditFilter) -> String { "audit \(filter.uid ?? "") \(filter.actor ?? "")" }

    /// The entries as a table.
    static func table(_ entries: [AuditEntry], showingUsers: Bool = true, empty: String) -> Markup {
        let rows = entries.map { entry -> [Markup] in
            let user: Markup = entry.uid.map { .link("<code>\($0)</code>", to: ConsolePath.user($0)) } ?? "–"
            let kind = Markup(entry.actor.kind.rawValue)
            let actor: Markup = entry.actor.name.map { "\(kind) <bdi>\($0)</bdi>" } ?? kind
            let cells: [Markup] = [
                .time(entry.at), Markup(entry.event), user, .text(entry.detail), actor, .text(entry.actor.reason),
            ]
            return showingUsers ? cells : Array(cells[..<2] + cells[3...])
        }
        let columns = ["Time", "Event", "User", "Detail", "Actor", "Reason"].filter { showingUsers || $0 != "User" }
        return .table("Audit log", columns, rows, empty: empty)
    }
}
