internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

/// A URL of the console.
package struct ConsoleURLReport: Sendable, Encodable {
    /// The URL, which opens the console once.
    package let url: String
    /// The name under which the audit log records what is done with it.
    package let name: String
    /// The number of seconds for which the URL is valid.
    package let expiresIn: Int64
    /// The path of the Unix socket that the admin listener listens on; `nil` if the URL can be opened as it is.
    package let socket: String?
}

extension Operator {
    /// Makes a URL that opens the console once and within five minutes.
    ///
    /// - Parameter name: the name for the audit log, 1 to 100 characters on one line; `nil` for the login of the person who
    ///   ran the command.
    /// - Throws: ``Failure/noConsole(_:)`` if no listener serves the console, ``Failure/badName``.
    package func makeConsoleURL(as name: String?) throws -> ConsoleURLReport {
        let (base, socket) = try consoleListener()
        let name = name ?? actor.name ?? "operator"
        guard (1...AuditActor.longestName).contains(name.count), SingleLine.accepts(name) else { throw Failure.badName }
        let token = try TokenID.random()
        try store.database.writeNow { [flows] in try flows.makeConsoleURL(token, name: name, in: $0) }
        return ConsoleURLReport(
            url: "\(base)\(ConsolePath.open)?token=\(token.text)",
            name: name,
            expiresIn: AccountFlows.consoleURLLife / 1000,
            socket: socket
        )
    }

    /// The URL at which a browser reaches a listener with the console, and the path of its Unix socket.
    private func consoleListener() throws -> (url: String, socket: String?) {
        if configuration.console == .off { throw Failure.noConsole("console is off") }
        if configuration.mode == .development {
            throw Failure.noConsole("in development it has no sign-in; visit /console in a browser")
        }
        if configuration.console == .public, let url = configuration.publicURL { return (url, nil) }
        guard let listen = configuration.adminListen, let address = ListenAddress(listen) else {
            throw Failure.noConsole("there is no admin listener; set adminListen, or console to public")
        }
        guard case .ip = address else { return ("http://localhost:9199", String(listen.dropFirst("unix:".count))) }
        return ("http://\(listen)", nil)
    }
}
