internal import LatchkeyClient

/// Makes the `Auth` object of a client command.
enum ClientSession {
    /// The default address of a local server.
    static let defaultServer = "http://127.0.0.1:9099"
    static let defaultKey = "latchkey"

    /// Reads server, session file, key and language.
    ///
    /// - Parameters:
    ///   - invocation: the invocation of a command with `Option.client`.
    ///   - sessionFile: a session file to use instead of the invocation's.
    /// - Returns: an object with the stored session.
    /// - Throws: ``UsageError`` for a URL or path that cannot be used, `AuthError` for a damaged session file.
    static func auth(_ invocation: Invocation, sessionFile: String? = nil) throws -> Auth {
        let configuration: Auth.Configuration
        do {
            configuration = try Auth.Configuration(
                server: invocation.value("server") ?? defaultServer,
                apiKey: invocation.value("api-key") ?? defaultKey,
                languageCode: language(invocation.environment),
                userAgent: "latchkey/\(Tool.version)"
            )
        } catch {
            throw invocation.usage("--server: \(error.detail ?? "unusable").")
        }
        let store = FileSessionStore(path: try sessionFile ?? path(invocation), server: configuration.server)
        let transport = CurlTransport(timeout: configuration.requestTimeout)
        return try Auth(configuration: configuration, transport: transport, store: store)
    }

    /// Explains that no user is signed in at the server of an invocation, and names the servers that the session file
    /// has sessions of.
    static func notSignedIn(_ error: AuthError, _ invocation: Invocation) -> Failure {
        let server = invocation.value("server") ?? defaultServer
        guard let path = try? path(invocation),
            let others = try? FileSessionStore(path: path, server: server).servers(),
            let other = others.first
        else { return Failure(error) }
        return Failure(
            "You are not signed in at \(server). \(path) has a session of \(others.joined(separator: ", ")).",
            next: ["Next:  add --server \(other)   or   latchkey guest   or   latchkey send EMAIL"],
            code: error.code.rawValue
        )
    }

    /// The session file: the given one, otherwise one in the state folder of the XDG base directory specification.
    static func path(_ invocation: Invocation) throws(UsageError) -> String {
        if let given = invocation.value("session") { return given }
        // The specification says to ignore a relative path in an XDG variable.
        if let state = invocation.environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return state + "/latchkey/session.json"
        }
        guard let home = invocation.environment["HOME"], home.hasPrefix("/") else {
            throw invocation.usage("HOME is not set; name the session file with --session FILE.")
        }
        return home + "/.local/state/latchkey/session.json"
    }

    /// Converts the user's language from POSIX format (`it_IT.UTF-8`) to a language tag (`it-IT`); `nil` without a
    /// language.
    static func language(_ environment: [String: String]) -> String? {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let tag = locale.prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 }
        let isTag =
            !tag.isEmpty && tag.count <= 35
            && tag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return isTag && tag != ["C"] && tag != Array("POSIX") ? String(tag) : nil
    }
}
