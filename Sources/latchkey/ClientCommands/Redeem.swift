internal import LatchkeyClient

extension Command {
    /// `latchkey redeem`: signs in with the link or the code of an e-mail.
    static let redeem = Command(
        name: "redeem",
        summary: "Sign in with the link or the code from an e-mail",
        discussion: """
            Give the link as it stands in the e-mail (in quotes), the action code from the link, or the eight-digit \
            code, with or without its space. A code belongs to the last e-mail that 'latchkey send' requested. So does \
            a link, unless --email names another address.

            A guest gets the address and keeps the UID. If the address already has an account, everything that the \
            guest has moves to that account, and the guest is deleted; a report shows what moved. With --no-merge, \
            nothing changes in that case: you can still merge with the same link later, or sign in to the account with \
            --sign-in.
            """,
        arguments: [
            Argument(name: "LINK-OR-CODE", help: "The link or code; - reads it from standard input."),
            Argument(
                name: "REST",
                help: "The second half of the code, if you type its space.",
                isOptional: true
            ),
        ],
        options: [
            Option(name: "email", value: "EMAIL", help: "The address that the link was sent to."),
            Option(name: "no-merge", help: "Change nothing if the address already has an account."),
            Option(
                name: "sign-in",
                help: "Sign in to the account that has the address, and abandon the guest. Links only."
            ),
        ] + Option.client,
        examples: [
            "latchkey redeem 'http://127.0.0.1:9099/auth/action?mode=signIn&oobCode=…'",
            "latchkey redeem 1234 5678",
        ],
        content: .body { invocation in
            var text = try invocation.required("LINK-OR-CODE")
            if text == "-" { text = readLine() ?? "" }
            if let rest = invocation[argument: "REST"] {
                guard case .code? = RedeemInput(text) else {
                    throw invocation.usage("Unexpected argument '\(rest)'.")
                }
                text += rest
            }
            guard let input = RedeemInput(text) else {
                throw invocation.usage("'\(Terminal.plain(text))' is neither a link nor a code.")
            }
            let auth = try ClientSession.auth(invocation)
            let outcome: SignInOutcome
            do {
                switch input {
                case .link(let link): outcome = try await redeem(link: link, auth: auth, invocation: invocation)
                case .code(let code): outcome = try await redeem(code: code, auth: auth, invocation: invocation)
                }
            } catch let error as AuthError where error.code == .emailAlreadyInUse {
                throw Failure(addressInUse: error, email: invocation.value("email") ?? auth.pendingSignIn?.email)
            }
            try UserOutput(outcome, server: auth.configuration.server).print(outcome.headline, for: invocation)
        }
    )

    private static func redeem(link: String, auth: Auth, invocation: Invocation) async throws -> SignInOutcome {
        guard let email = invocation.value("email") ?? auth.pendingSignIn?.email else {
            throw invocation.usage("No e-mail was requested here; name the address of the link with --email EMAIL.")
        }
        guard !invocation.isOn("sign-in") else {
            return try await auth.signIn(withEmail: email, link: link).outcome
        }
        return try await auth.continueWithEmail(email, link: link, onConflict: invocation.onConflict)
    }

    private static func redeem(code: String, auth: Auth, invocation: Invocation) async throws -> SignInOutcome {
        guard !invocation.isOn("sign-in") else {
            throw invocation.usage("--sign-in works with a link, not with a code.")
        }
        guard let request = auth.pendingSignIn else {
            throw Failure(
                "No e-mail was requested here, so the code cannot be checked.",
                next: ["Next:  latchkey send EMAIL"],
                code: "noPendingSignIn"
            )
        }
        if let email = invocation.value("email"), email.lowercased() != request.email.lowercased() {
            throw invocation.usage(
                "The code belongs to the last e-mail requested here, which went to \(request.email)."
            )
        }
        return try await auth.continueWithTicket(request.ticket, code: code, onConflict: invocation.onConflict)
    }
}

extension Invocation {
    fileprivate var onConflict: ConflictPolicy { isOn("no-merge") ? .error : .merge }
}

extension Failure {
    /// Explains that the address belongs to another user, and what the same link or code can do.
    fileprivate init(addressInUse error: AuthError, email: String?) {
        let isLink = error.credential?.email != nil
        let email = email ?? "EMAIL"
        var next = ["To merge this guest into that account:"]
        next.append(isLink ? "  latchkey redeem --email \(email) LINK" : "  latchkey redeem CODE")
        if isLink {
            next.append("To sign in to that account and abandon the guest:")
            next.append("  latchkey redeem --sign-in --email \(email) LINK")
        }
        self.init(
            "\(email) belongs to another account. You are still the same guest, and the link is still valid.",
            next: next,
            code: error.code.rawValue,
            serverCode: error.serverCode
        )
    }
}

/// The input of `redeem`.
enum RedeemInput: Equatable {
    /// A link, or the bare action code.
    case link(String)
    /// A sign-in code: eight digits, or the fixed code of a review address.
    case code(String)

    /// Tells a link or an action code from a sign-in code; `nil` for a text that is neither.
    ///
    /// Action codes have 54 characters, and sign-in codes are shorter. The fixed code of a review address may be any
    /// text, but a text without a digit is more likely a mistake.
    init?(_ text: String) {
        let isLink = text.contains("://") || text.contains("oobCode=")
        if isLink || text.filter({ !$0.isWhitespace }).count >= 54 {
            self = .link(text)
        } else if text.contains(where: { ("0"..."9").contains($0) }) {
            self = .code(text)
        } else {
            return nil
        }
    }
}
