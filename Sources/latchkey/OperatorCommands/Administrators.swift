internal import Server

extension Command {
    /// `latchkey admin`: lists, adds and removes administrators.
    static let administrators = Command(
        name: "admin",
        summary: "List, add and remove administrators",
        discussion: """
            The database stores the list; a token's claims make no user an administrator. Calls for administrators \
            accept the adminKey, or the ID token of an administrator who signed in within the last 15 minutes. An \
            administrator's sign-in methods can be changed only with the adminKey, on the admin listener, or with this \
            command line.
            """,
        content: .commands([listAdministrators, addAdministrator, removeAdministrator])
    )

    private static let listAdministrators = Command(
        name: "list",
        summary: "Show the administrators",
        options: Option.operating + [.json],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let uids = try operating(context) { try $0.administrators() }
            try context.print(ReportPage(items: uids), lines: uids.isEmpty ? ["No administrators."] : uids)
        }
    )

    private static let addAdministrator = administrator(
        "add",
        "Make a user an administrator",
        true,
        "is an administrator now"
    )

    private static let removeAdministrator = administrator(
        "remove",
        "Make an administrator an ordinary user",
        false,
        "is no longer an administrator"
    )

    private static func administrator(_ name: String, _ summary: String, _ isOne: Bool, _ done: String) -> Command {
        Command(
            name: name,
            summary: summary,
            arguments: [Argument(name: "UID", help: "The user; 'latchkey whoami' shows your own.")],
            options: Option.changing + [.json],
            content: .body { invocation in
                let context = OperatorContext(invocation)
                let uid = try invocation.required("UID")
                try operating(context) { try $0.setAdministrator(isOne, uid) }
                try context.print(["uid": uid], lines: ["\(uid) \(done)."])
            }
        )
    }
}
