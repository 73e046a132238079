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
    /// What a person on another machine gives to `ssh -L` first; `nil` if the URL can be opened as it is.
    package let forward: String?
    /// Where the server listens with the console.
    package let listener: String
    /// Whether a server listens there now.
    ///
    /// The URL works as soon as one does.
    package let isServed: Bool
}

extension Operator {
    /// Makes a URL that opens the console once and within five minutes.
    ///
    /// - Parameter name: the name for the audit log, 1 to 100 characters on one line; `nil` for the login of the person who
    ///   ran the command.
    /// - Throws: ``Failure/noConsole(_:)`` if no listener serves the console, ``Failure/badName``.
    package func makeConsoleURL(as name: String?) throws -> ConsoleURLReport {
        let listener = try consoleListener()
        let name = name ?? actor.name ?? "operator"
        guard (1...AuditActor.longestName).contains(name.count), SingleLine.accepts(name) else { throw Failure.badName }
        let token = try TokenID.random()
        try store.database.writeNow { [flows] in try flows.makeConsoleURL(token, name: name, in: $0) }
        return ConsoleURLReport(
            url: "\(listener.url)\(ConsolePath.open)?token=\(token.text)",
            name: name,
            expiresIn: AccountFlows.consoleURLLife / 1000,
            forward: listener.forward,
            listener: listener.address,
            isServed: ListenAddress(listener.address)?.isAnswered() ?? false
        )
    }

    /// A listener with the console: the URL at which a browser reaches it, what `ssh -L` takes before that, and its
    /// address.
    private func consoleListener() throws -> (url: String, forward: String?, address: String) {
        if configuration.console == .off { throw Failure.noConsole("console is off") }
        if configuration.mode == .development {
            throw Failure.noConsole(
                "in development the console has no sign-in, so open http://\(configuration.listen)\(ConsolePath.front); "
                    + "to open that of another server, give its configuration with --config"
            )
        }
        if configuration.console == .public, let url = configuration.publicURL {
            return (url, nil, configuration.listen)
        }
        guard let listen = configuration.adminListen, let address = ListenAddress(listen) else {
            throw Failure.noConsole(
                "there is no admin listener; set adminListen, such as 127.0.0.1:9199, or console to public, and restart"
            )
        }
        guard case .ip(_, let port) = address else {
            return ("http://localhost:9199", "9199:\(listen.dropFirst("unix:".count))", listen)
        }
        return ("http://\(listen)", address.isLoopback ? "\(port):\(listen)" : nil, listen)
    }
}
