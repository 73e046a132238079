internal import LatchkeyClient

extension Command {
    /// `latchkey send`: requests a sign-in e-mail; with `--wait`, also waits for its approval and signs in.
    static let send = Command(
        name: "send",
        summary: "Send a sign-in e-mail",
        discussion: """
            The e-mail has a link and an eight-digit code. Redeem either one here with 'latchkey redeem'. Or open the \
            link on another device and enter the three digits that this command shows. With --wait, the command signs \
            in here as soon as that device approves. Without --wait, approval on another device does not sign you \
            in here until you run 'latchkey redeem'.

            A guest who redeems gets the address and keeps the UID. If the address already has an account, everything \
            that the guest has moves to that account.
            """,
        arguments: [Argument(name: "EMAIL", help: "The address to send to.")],
        options: [
            Option(name: "wait", help: "Wait until the link is approved on another device, then sign in here."),
            Option(
                name: "timeout",
                value: "SECONDS",
                help: "With --wait: stop waiting after this time. Default: when the request expires."
            ),
            Option(name: "no-merge", help: "With --wait: change nothing if the address already has an account."),
            Option(
                name: "continue-url",
                value: "URL",
                help: "The page to open after the link was used, on an origin that the server allows."
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
        terminal.print("An e-mail is on its way to \(Terminal.plain(request.email)).")
        if invocation.isOn("wait") {
            terminal.print(
                "Open its link on any device and enter these digits:  \(digits)",
                "Waiting for approval. (After Ctrl-C the link and the code are still valid.)"
            )
        } else {
            terminal.print(
                "To approve on another device, open its link and enter these digits:  \(digits)",
                "Then, to sign in here:  latchkey redeem LINK-OR-CODE"
            )
        }
    }

    /// Waits for approval on another device.
    ///
    /// A redemption by another command on the same session file also counts.
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
