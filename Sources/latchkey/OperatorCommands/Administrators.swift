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
            let (uids, readOnly) = try operating(context) { (try $0.administrators(), try $0.readOnlyAdministrators()) }
            let lines = uids.map { readOnly.contains($0) ? "\($0)  read-only" : $0 }
            try context.print(
                AdministratorPage(items: uids, readOnly: readOnly),
                lines: uids.isEmpty ? ["No administrators."] : lines
            )
        }
    )

    private static let addAdministrator = Command(
        name: "add",
        summary: "Make a user an administrator",
        arguments: [user],
        options: [
            Option(name: "read-only", help: "Allow looking only: no changes, no exports, no content of documents.")
        ] + Option.changing + [.json],
        examples: ["latchkey admin add ann@example.com", "latchkey admin add 5Wm3nZk1 --read-only"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let isReadOnly = invocation.isOn("read-only")
            let name = try invocation.required("USER")
            let uid = try operating(context) { desk in
                let uid = try desk.uid(of: name)
                try desk.setAdministrator(true, uid, isReadOnly: isReadOnly)
                return uid
            }
            try context.print(
                ["uid": uid],
                lines: ["\(uid) is \(isReadOnly ? "a read-only" : "an") administrator now."]
            )
        }
    )

    private static let removeAdministrator = Command(
        name: "remove",
        summary: "Make an administrator an ordinary user",
        arguments: [user],
        options: Option.changing + [.json],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let name = try invocation.required("USER")
            let uid = try operating(context) { desk in
                let uid = try desk.administrators().contains(name) ? name : desk.uid(of: name)
                try desk.setAdministrator(false, uid)
                return uid
            }
            try context.print(["uid": uid], lines: ["\(uid) is no longer an administrator."])
        }
    )

    private static let user = Argument(
        name: "USER",
        help: "The user: a UID, an e-mail address or a username; 'latchkey whoami' shows your own."
    )
}

/// The output of `latchkey admin list --json`.
private struct AdministratorPage: Encodable {
    /// The UIDs of all administrators.
    let items: [String]
    /// The UIDs of those who may only look.
    let readOnly: [String]
}
