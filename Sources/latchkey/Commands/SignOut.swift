internal import LatchkeyClient

extension Command {
    /// `latchkey sign-out`.
    static let signOut = Command(
        name: "sign-out",
        summary: "Sign out; a guest is deleted for good",
        discussion: """
            Ends the session on the server and forgets it here. A guest cannot come back: the UID and all that belongs \
            to it are deleted. Give it an address first to keep it ('latchkey send').
            """,
        options: Option.client,
        examples: ["latchkey sign-out"],
        content: .body { invocation in
            let auth = try ClientSession.auth(invocation)
            let wasSignedIn = auth.currentUser != nil
            let result: SignOutResult
            do throws(AuthError) {
                result = try await auth.signOut()
            } catch {
                guard error.code == .networkRequestFailed else { throw error }
                throw Failure(
                    "Signed out here, but the server could not be told: \(error.detail ?? "no answer").",
                    next: ["The session goes on there until it ends by age."],
                    code: error.code.rawValue,
                    status: 3
                )
            }
            guard !invocation.isJSON else {
                try invocation.terminal.print(json: SignOutOutput(signedOut: wasSignedIn, reset: result.wasReset))
                return
            }
            let text =
                switch (wasSignedIn, result.wasReset) {
                case (false, _): "Nobody was signed in."
                case (true, false): "Signed out."
                case (true, true): "Signed out. The guest and all that belonged to it are deleted."
                }
            invocation.terminal.print(text)
        }
    )

    private struct SignOutOutput: Encodable {
        let signedOut: Bool
        let reset: Bool
    }
}
