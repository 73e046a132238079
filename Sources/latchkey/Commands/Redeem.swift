internal import LatchkeyClient

extension Command {
    /// `latchkey redeem`.
    static let redeem = Command(
        name: "redeem",
        summary: "Sign in with the link or the code of a mail",
        discussion: """
            Takes the link as it stands in the mail (put it in quotes), the bare action code in it, or the eight \
            digits, with or without the space. A code goes with the mail that 'latchkey send' asked for last; a link too, unless --email names another \
            address.

            A guest gets the address and keeps the UID. When the address has an account already, all that the guest \
            has moves there, and the guest is gone; a report shows what moved. With --no-merge nothing changes then, and \
            the same link can merge later, or sign in to the account with --sign-in.
            """,
        arguments: [
            Argument(name: "LINK-OR-CODE", help: "The link or code; - reads it from standard input."),
            Argument(
                name: "REST",
                help: "The second group of the code's digits, where you type the space.",
                isOptional: true
            ),
        ],
        options: [
            Option(name: "email", value: "EMAIL", help: "The address that the link was mailed to."),
            Option(name: "no-merge", help: "Stop when the address has an account already; nothing is lost."),
            Option(
                name: "sign-in",
                help: "Sign in to the account that owns the address, and leave the guest behind. Links only."
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
                guard case .code = RedeemInput(text) else {
                    throw invocation.usage("'\(rest)' is one argument too many.")
                }
                text += rest
            }
            let auth = try ClientSession.auth(invocation)
            let outcome: SignInOutcome
            do {
                switch RedeemInput(text) {
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
            throw invocation.usage("No mail was asked for here: say whose link it is with --email EMAIL.")
        }
        guard !invocation.isOn("sign-in") else {
            return try await auth.signIn(withEmail: email, link: link).outcome
        }
        return try await auth.continueWithEmail(email, link: link, onConflict: invocation.onConflict)
    }

    private static func redeem(code: String, auth: Auth, invocation: Invocation) async throws -> SignInOutcome {
        guard !invocation.isOn("sign-in") else {
            throw invocation.usage("--sign-in goes with a link, not with a code.")
        }
        guard let request = auth.pendingSignIn else {
            throw Failure(
                "No mail was asked for here, so there is nothing that this code could belong to.",
                next: ["Next:  latchkey send EMAIL"],
                code: "noPendingSignIn"
            )
        }
        if let email = invocation.value("email"), email.lowercased() != request.email.lowercased() {
            throw invocation.usage("The code goes with the mail to \(request.email), which was asked for last.")
        }
        return try await auth.continueWithTicket(request.ticket, code: code, onConflict: invocation.onConflict)
    }
}

extension Invocation {
    fileprivate var onConflict: ConflictPolicy { isOn("no-merge") ? .error : .merge }
}

extension Failure {
    /// The address is somebody else's: what can be done with the same link or code.
    fileprivate init(addressInUse error: AuthError, email: String?) {
        let isLink = error.credential?.email != nil
        let email = email ?? "EMAIL"
        var next = ["To move all that this guest has to that account:"]
        next.append(isLink ? "  latchkey redeem --email \(email) LINK" : "  latchkey redeem CODE")
        if isLink {
            next.append("To sign in to that account and leave the guest behind:")
            next.append("  latchkey redeem --sign-in --email \(email) LINK")
        }
        self.init(
            "\(email) belongs to another account. You are the same guest as before, and the link stays good.",
            next: next,
            code: error.code.rawValue,
            serverCode: error.serverCode
        )
    }
}

/// What somebody hands to `redeem`.
enum RedeemInput: Equatable {
    /// A link, or the bare action code.
    case link(String)
    /// A sign-in code: eight digits, or the fixed code of a review address.
    case code(String)

    /// Action codes have 54 characters; nothing that a person types is as long.
    init(_ text: String) {
        let isLink = text.contains("://") || text.contains("oobCode=")
        self = isLink || text.filter { !$0.isWhitespace }.count >= 54 ? .link(text) : .code(text)
    }
}
