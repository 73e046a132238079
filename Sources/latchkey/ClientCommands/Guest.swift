internal import LatchkeyClient

extension Command {
    /// `latchkey guest`: signs in as a new guest, or shows the current one.
    static let guest = Command(
        name: "guest",
        summary: "Sign in as a guest, or keep the current guest",
        discussion: """
            A guest has a UID and can do what other users can. To add an e-mail address and keep the UID, request a \
            link with 'latchkey send' and redeem it.
            """,
        options: Option.client,
        examples: ["latchkey guest", "latchkey guest --server https://auth.example.com"],
        content: .body { invocation in
            let auth = try ClientSession.auth(invocation)
            if case .authenticated(let user) = auth.state {
                throw Failure(
                    "You are signed in as \(user.email ?? user.uid). Sign out before you sign in as a guest.",
                    next: ["First:  latchkey sign-out"],
                    code: "alreadySignedIn"
                )
            }
            let result = try await auth.signInAnonymously()
            let output = UserOutput(result, server: auth.configuration.server)
            try output.print(result.isNewUser ? "You are a guest now." : "You are already a guest.", for: invocation)
            guard !invocation.isJSON else { return }
            invocation.terminal.print("Next:  latchkey send you@example.com")
        }
    )
}
