internal import LatchkeyClient

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Shows who is signed in, to a person or to a script.
struct UserOutput: Encodable {
    let uid: String
    let anonymous: Bool
    let email: String?
    let emailVerified: Bool
    let displayName: String?
    let providers: [String]
    let createdAt: String?
    let server: String
    /// Only after a sign-in.
    var linked: Bool?
    /// Only after a sign-in.
    var isNewUser: Bool?

    init(_ user: User, server: String) {
        uid = user.uid
        anonymous = user.isAnonymous
        email = user.email
        emailVerified = user.isEmailVerified
        displayName = user.displayName
        providers = user.providers.map(\.id)
        createdAt = user.creationDate.map { $0.formatted(.iso8601) }
        self.server = server
    }

    init(_ result: AuthResult, server: String) {
        self.init(result.user, server: server)
        linked = result.isLinked
        isNewUser = result.isNewUser
    }

    /// Prints it, for a person below a headline.
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
        if let displayName { terminal.print("  name     \(Terminal.plain(displayName))") }
        if let createdAt { terminal.print("  since    \(createdAt)") }
        terminal.print("  server   \(server)")
    }
}

extension AuthResult {
    /// What has happened, as a headline.
    var headline: String {
        let name = user.email ?? user.uid
        if isLinked { return "The guest is \(name) now, with the same UID." }
        return isNewUser ? "Welcome. You are signed in as \(name)." : "You are signed in as \(name)."
    }
}
