internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /console/refused`: shows what limits and checks of this node refused in the last hour.
struct ConsoleRefused: ConsolePage {
    static let section = ConsoleSection.refused
    let services: Services

    /// Whether limits were lifted just now.
    func decode(_ request: Request, _ visit: ConsoleVisit) throws -> Bool { request.queryValue("done") == "lift" }

    func find(_ isLifted: Bool, for caller: ConsoleCaller, in transaction: Transaction) throws -> Bool { isLifted }

    func show(_ isLifted: Bool, in frame: ConsoleFrame) throws -> Response {
        let rows = services.failureTrace.lastHour(at: services.clock()).map { kind -> [Markup] in
            let networks = kind.networks.map { "<li><code>\($0.label)</code> \($0.count)</li>" as Markup }
            return [
                Markup(kind.name), "\(kind.count)",
                networks.isEmpty ? "–" : "<ul class=\"plain\">\(networks.joined())</ul>",
            ]
        }
        let columns = ["Refused by", "Times", "Networks that were refused most"]
        return try frame.page(
            "refused",
            title: "Refused",
            parts: [
                "done": isLifted ? "<p class=\"notice\" role=\"status\">\(LiftConsoleLimits.done)</p>" : "",
                "kinds": .table("Refusals", columns, rows, empty: "Nothing was refused."),
                "lift": frame.caller.isReadOnly ? "" : AskToLiftLimits.form,
            ]
        )
    }
}
