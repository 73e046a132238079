internal import LatchkeyClient

extension Command {
    /// `latchkey send`.
    static let send = Command(
        name: "send",
        summary: "Have a sign-in link mailed to an address",
        discussion: """
            The mail holds a link and a code of eight digits. Redeem either here with 'latchkey redeem', or open \
            the link on another device and type there the three digits that this command shows; with --wait it finishes \
            as soon as that is done.

            A guest who redeems becomes the owner of the address and keeps the UID. When the address has an account \
            already, all that the guest has moves there.
            """,
        arguments: [Argument(name: "EMAIL", help: "Where the mail goes.")],
        options: [
            Option(name: "wait", help: "Wait until the link is approved on another device, and sign in."),
            Option(
                name: "timeout",
                value: "SECONDS",
                help: "With --wait: give up after so long. Without it the command waits until the request expires."
            ),
            Option(name: "no-merge", help: "With --wait: stop when the address has an account already."),
            Option(
                name: "continue-url",
                value: "URL",
                help: "Where the link leads in the end; on an origin that the server allows."
            ),
        ] + Option.client,
        examples: ["latchkey send you@example.com", "latchkey send you@example.com --wait"],
        content: .body { invocation in
            let email = try invocation.required("EMAIL")
            let timeout = try invocation.number("timeout", in: 1...86400)
            let auth = try ClientSession.auth(invocation)
            let settings = SignInSettings(continueURL: invocation.value("continue-url"))
            let request = try await auth.sendSignInLink(to: email, settings: settings)
            try show(request, for: invocation)
            guard invocation.isOn("wait") else { return }
            let outcome = try await wait(
                for: request,
                auth: auth,
                onConflict: invocation.isOn("no-merge") ? .error : .merge,
                timeout: timeout.map { .seconds($0) }
            )
            try UserOutput(outcome, server: auth.configuration.server).print(outcome.headline, for: invocation)
        }
    )

    private static func show(_ request: SignInRequest, for invocation: Invocation) throws {
        let terminal = invocation.terminal
        guard !invocation.isJSON else {
            try terminal.print(json: RequestOutput(email: request.email, confirmation: request.confirmation))
            return
        }
        let digits = terminal.strong(Terminal.plain(request.confirmation))
        terminal.print("A mail is on its way to \(Terminal.plain(request.email)).")
        if invocation.isOn("wait") {
            terminal.print(
                "Open its link anywhere; you are asked for these digits:  \(digits)",
                "Waiting. (Ctrl-C stops the waiting; link and code stay good.)"
            )
        } else {
            terminal.print(
                "Opened on another device, its link asks for these digits:  \(digits)",
                "Next:  latchkey redeem LINK-OR-CODE"
            )
        }
    }

    /// Waits for approval elsewhere; a redemption by another command on the same session file is as good.
    private static func wait(
        for request: SignInRequest,
        auth: Auth,
        onConflict: ConflictPolicy,
        timeout: Duration?
    ) async throws -> SignInOutcome {
        do {
            return try await auth.waitForApproval(of: request.ticket, onConflict: onConflict, timeout: timeout).outcome
        } catch {
            guard error.code == .ticketSpent, case .authenticated(let user) = auth.state, user.email == request.email
            else { throw error }
            return .signedIn(user)
        }
    }

    private struct RequestOutput: Encodable {
        let email: String
        let confirmation: String
    }
}
