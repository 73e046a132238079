internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /console/configuration`: shows the settings that this node uses, with their origins and without secrets.
struct ConsoleConfiguration: ConsolePage {
    static let section = ConsoleSection.configuration
    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws {}

    func find(_ input: Void, for caller: ConsoleCaller, in transaction: Transaction) throws {}

    func show(_ found: Void, in frame: ConsoleFrame) throws -> Response {
        let rows = services.configuration.effective.map { setting -> [Markup] in
            [
                "<code>\(setting.key)</code>", .isolated(setting.value ?? "not set"),
                setting.isDefault ? "default" : .isolated(setting.origin),
            ]
        }
        return try frame.page(
            "configuration",
            title: "Configuration",
            parts: ["settings": .table("Settings", ["Setting", "Value", "Origin"], rows, empty: "None.")]
        )
    }
}
