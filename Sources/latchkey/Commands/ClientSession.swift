internal import LatchkeyClient

/// Makes the `Auth` that a client command works with.
enum ClientSession {
    /// Where a server of one's own listens unless told otherwise.
    static let defaultServer = "http://127.0.0.1:9099"
    static let defaultKey = "latchkey"

    /// Reads server, session file, key and language.
    ///
    /// - Parameters:
    ///   - invocation: Of a command that takes `Option.client`.
    ///   - sessionFile: Another session file than the one that is asked for.
    /// - Returns: An object that has taken up the stored session.
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

    /// The session file: as told, else in the folder for state that the XDG base directory specification names.
    static func path(_ invocation: Invocation) throws(UsageError) -> String {
        if let given = invocation.value("session") { return given }
        // A relative path in an XDG variable is to be ignored.
        if let state = invocation.environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return state + "/latchkey/session.json"
        }
        guard let home = invocation.environment["HOME"], home.hasPrefix("/") else {
            throw invocation.usage("HOME is not set: say where the session is with --session FILE.")
        }
        return home + "/.local/state/latchkey/session.json"
    }

    /// The language of the person, as POSIX has it (`it_IT.UTF-8`), in the form of the web (`it-IT`).
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
