internal import LatchkeyClient

extension Command {
    /// `latchkey sign-out`: ends the session here and on the server, which deletes a guest.
    static let signOut = Command(
        name: "sign-out",
        summary: "Sign out; this permanently deletes a guest",
        discussion: """
            Ends the session on the server and deletes it here. A guest cannot sign in again: the UID and all its data \
            are deleted. To keep them, first add an e-mail address with 'latchkey send'. The command therefore asks \
            before it signs a guest out.
            """,
        options: [.yes] + Option.client,
        examples: ["latchkey sign-out"],
        content: .body { invocation in
            let auth = try ClientSession.auth(invocation)
            let wasSignedIn = auth.currentUser != nil
            if let guest = auth.currentUser, guest.isAnonymous {
                try invocation.confirm("This deletes the guest \(guest.uid) and all its data. It cannot be undone.")
            }
            let result: SignOutResult
            do throws(AuthError) {
                result = try await auth.signOut()
            } catch {
                guard error.code == .networkRequestFailed else { throw error }
                throw Failure(
                    "Signed out here, but the server could not be reached: \(error.detail ?? "no answer").",
                    next: ["The session stays valid on the server until it expires."],
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
                case (false, _): "You were not signed in."
                case (true, false): "Signed out."
                case (true, true): "Signed out. The guest and all its data were deleted."
                }
            invocation.terminal.print(text)
        }
    )

    private struct SignOutOutput: Encodable {
        let signedOut: Bool
        let reset: Bool
    }
}
