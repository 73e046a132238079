internal import LatchkeyClient

extension Command {
    /// `latchkey username`: shows, claims or releases the signed-in user's username, or looks up the owner of one.
    static let username = Command(
        name: "username",
        summary: "Show, claim or release your username",
        discussion: """
            A username has 3 to 30 characters: ASCII letters, digits, '_', '.' and '-'. Usernames are unique without \
            regard to case. Claiming a new username releases the current one.
            """,
        arguments: [
            Argument(name: "NAME", help: "The name to claim; if omitted, shows your username.", isOptional: true)
        ],
        options: [
            Option(name: "find", help: "Show which user has this name; claim nothing."),
            Option(name: "release", help: "Release your username."),
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
        let owner = entry.uid.map { "\(name) belongs to user \(Terminal.plain($0))." } ?? "\(name) is not available."
        invocation.terminal.print(entry.isAvailable ? "\(name) is free." : owner)
    }

    private struct UsernameOutput: Encodable {
        let username: String?
        let uid: String?
        var available: Bool?
    }
}
