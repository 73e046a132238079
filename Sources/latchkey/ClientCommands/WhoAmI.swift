internal import LatchkeyClient

extension Command {
    /// `latchkey whoami`: asks the server for the signed-in user, and shows the user.
    static let whoami = Command(
        name: "whoami",
        summary: "Show the signed-in user",
        discussion: """
            Asks the server, so it notices a session that has ended there. Exits with status 1 if there is no session.
            """,
        options: Option.client,
        examples: ["latchkey whoami", "latchkey whoami --json"],
        content: .body { invocation in
            let auth = try ClientSession.auth(invocation)
            let user = try await auth.reload()
            let headline = user.isAnonymous ? "A guest (anonymous user)" : user.email ?? user.uid
            try UserOutput(user, server: auth.configuration.server).print(headline, for: invocation)
        }
    )
}
