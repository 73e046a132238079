internal import LatchkeyClient

extension Command {
    /// `latchkey username`.
    static let username = Command(
        name: "username",
        summary: "Show, claim or give back one's username",
        discussion: """
            Usernames have 3 to 30 of ASCII letters, digits, '_', '.' and '-', and are unique without regard to case. \
            Claiming another one gives the present one back.
            """,
        arguments: [
            Argument(name: "NAME", help: "The name to claim; shows the present one without.", isOptional: true)
        ],
        options: [
            Option(name: "find", help: "Only ask who has this name."),
            Option(name: "release", help: "Give the present one back."),
        ] + Option.client,
        examples: ["latchkey username ann", "latchkey username ann --find", "latchkey username --release"],
        content: .body { invocation in
            let auth = try ClientSession.auth(invocation)
            switch (invocation[argument: "NAME"], invocation.isOn("find"), invocation.isOn("release")) {
            case (let name?, true, false):
                try show(try await auth.username(named: name), for: invocation)
            case (let name?, false, false):
                try show(try await auth.setUsername(name), for: invocation)
            case (nil, false, true):
                try show(try await auth.releaseUsername(), for: invocation)
            case (nil, false, false):
                try show(try await auth.reload(), for: invocation)
            default:
                throw invocation.usage("Give a NAME, a NAME with --find, or --release.")
            }
        }
    )

    private static func show(_ user: User, for invocation: Invocation) throws {
        guard !invocation.isJSON else {
            return try invocation.terminal.print(json: UsernameOutput(username: user.username, uid: user.uid))
        }
        let text = user.username.map { "Your username is \(Terminal.plain($0))." } ?? "You have no username."
        invocation.terminal.print(text)
    }

    private static func show(_ entry: UsernameEntry, for invocation: Invocation) throws {
        guard !invocation.isJSON else {
            let output = UsernameOutput(username: entry.username, uid: entry.uid, available: entry.isAvailable)
            return try invocation.terminal.print(json: output)
        }
        let name = Terminal.plain(entry.username)
        let owner = entry.uid.map { "\(name) is the user \(Terminal.plain($0))." } ?? "\(name) is not available."
        invocation.terminal.print(entry.isAvailable ? "\(name) is free." : owner)
    }

    private struct UsernameOutput: Encodable {
        let username: String?
        let uid: String?
        var available: Bool?
    }
}
