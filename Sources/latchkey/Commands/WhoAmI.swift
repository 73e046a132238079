internal import LatchkeyClient

extension Command {
    /// `latchkey whoami`.
    static let whoami = Command(
        name: "whoami",
        summary: "Show who is signed in",
        discussion: """
            Asks the server, so that a session that has ended there does not look alive. Exits with status 1 when \
            nobody is signed in.
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
