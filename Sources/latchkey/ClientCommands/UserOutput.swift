internal import LatchkeyClient

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The output about the signed-in user, for people or for scripts.
struct UserOutput: Encodable {
    let uid: String
    let anonymous: Bool
    let email: String?
    let emailVerified: Bool
    let username: String?
    let displayName: String?
    let providers: [String]
    let createdAt: String?
    let server: String
    /// Whether the sign-in added an address to the user who was signed in; `nil` for commands that do not sign in.
    var linked: Bool?
    /// Whether the sign-in created the user; `nil` for commands that do not sign in.
    var isNewUser: Bool?
    /// Whether the sign-in merged a guest into the user; `nil` for commands that do not sign in.
    var merged: Bool?
    /// The report of the merge; `nil` without one.
    var mergeReport: MergeReport?

    init(_ user: User, server: String) {
        uid = user.uid
        anonymous = user.isAnonymous
        email = user.email
        emailVerified = user.isEmailVerified
        username = user.username
        displayName = user.displayName
        providers = user.providers.map(\.id)
        createdAt = user.creationDate.map { $0.formatted(.iso8601) }
        self.server = server
    }

    init(_ result: AuthResult, server: String) {
        self.init(result.user, server: server)
        linked = result.isLinked
        isNewUser = result.isNewUser
        merged = result.mergeReport != nil
        mergeReport = result.mergeReport
    }

    init(_ outcome: SignInOutcome, server: String) {
        self.init(outcome.user, server: server)
        (linked, isNewUser, merged) = (false, false, false)
        switch outcome {
        case .linked: linked = true
        case .signedUp: isNewUser = true
        case .merged(_, let report): (merged, mergeReport) = (true, report)
        case .signedIn: break
        }
    }

    /// Prints the output: for people below a headline, for scripts as JSON without it.
    func print(_ headline: String, for invocation: Invocation) throws {
        guard !invocation.isJSON else {
            try invocation.terminal.print(json: self)
            return
        }
        let terminal = invocation.terminal
        terminal.print(terminal.strong(Terminal.plain(headline)), "  uid      \(Terminal.plain(uid))")
        if let email {
            terminal.print("  address  \(Terminal.plain(email))\(emailVerified ? "" : " (not verified)")")
        }
        if let username { terminal.print("  username \(Terminal.plain(username))") }
        if let displayName { terminal.print("  name     \(Terminal.plain(displayName))") }
        if let createdAt { terminal.print("  since    \(createdAt)") }
        terminal.print("  server   \(server)")
        if let mergeReport { invocation.print(mergeReport) }
    }
}

extension SignInOutcome {
    /// The outcome as a headline.
    var headline: String {
        let name = user.email ?? user.uid
        return switch self {
        case .linked: "The guest is now \(name), with the same UID."
        case .merged: "You are signed in as \(name). The guest was merged into this account."
        case .signedUp: "Welcome. You are signed in as \(name)."
        case .signedIn: "You are signed in as \(name)."
        }
    }
}
