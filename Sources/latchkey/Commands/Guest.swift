internal import LatchkeyClient

extension Command {
    /// `latchkey guest`.
    static let guest = Command(
        name: "guest",
        summary: "Become an anonymous user, or stay the one you are",
        discussion: """
            A guest has a UID and can do what users do. The UID stays when the guest gets an address: ask for a link \
            with 'latchkey send', and redeem it.
            """,
        options: Option.client,
        examples: ["latchkey guest", "latchkey guest --server https://auth.example.com"],
        content: .body { invocation in
            let auth = try ClientSession.auth(invocation)
            if case .authenticated(let user) = auth.state {
                throw Failure(
                    "You are signed in as \(user.email ?? user.uid); becoming a guest would end that.",
                    next: ["First:  latchkey sign-out"],
                    code: "alreadySignedIn"
                )
            }
            let result = try await auth.signInAnonymously()
            let output = UserOutput(result, server: auth.configuration.server)
            try output.print(result.isNewUser ? "You are a guest now." : "You are a guest already.", for: invocation)
            guard !invocation.isJSON else { return }
            invocation.terminal.print("Next:  latchkey send you@example.com")
        }
    )
}
