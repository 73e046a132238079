internal import JSON
internal import Server

/// A wrong command line: exit status 2.
struct UsageError: Error {
    /// What is wrong with the command line, in one sentence.
    let message: String
    /// The intended command; `nil` if it is not known.
    let path: CommandPath?

    init(_ message: String, path: CommandPath?) {
        self.message = message
        self.path = path
    }
}

/// A successful end without further work: help and version.
struct CleanExit: Error {
    /// The text for standard output.
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// A failure of a command, with what the program prints about it and the exit status.
struct Failure: Error {
    /// What happened, in one sentence.
    let message: String
    /// Further lines for people: what to do next, or details such as each problem of the configuration.
    let next: [String]
    /// The problems of a configuration that cannot be used; `nil` for other failures.
    private(set) var problems: [ConfigurationProblem]?
    /// A stable name of the kind of failure, for scripts.
    let code: String
    /// The server's own code, if the server refused the request; otherwise `nil`.
    let serverCode: String?
    /// The exit status: 1; 2 for wrong usage or a configuration that cannot be used; 3 if the server or the database is
    /// unreachable.
    let status: Int32

    init(_ message: String, next: [String] = [], code: String, serverCode: String? = nil, status: Int32 = 1) {
        self.message = message
        self.next = next
        self.code = code
        self.serverCode = serverCode
        self.status = status
    }

    /// Explains why a configuration cannot be used.
    init(_ error: ConfigurationError) {
        self.init(
            "The configuration cannot be used:",
            next: error.problems.map { "  \($0)" },
            code: "configuration",
            status: 2
        )
        problems = error.problems
    }
}

/// A failure that is in the log already, so that the program prints nothing more about it.
struct LoggedFailure: Error {
    let failure: Failure

    /// Logs why a server did not start.
    init(_ failure: Failure, to log: Log) {
        self.failure = failure
        let reason = ([failure.message] + failure.next).joined(separator: " ")
        log("server.not-started", ("code", .string(failure.code)), ("reason", .string(Terminal.plain(reason))))
    }
}
