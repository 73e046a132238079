/// The command line is wrong: exit status 2.
struct UsageError: Error {
    /// One sentence, with what was typed.
    let message: String
    /// The command that was meant, if it is known.
    let path: CommandPath?

    init(_ message: String, path: CommandPath?) {
        self.message = message
        self.path = path
    }
}

/// Nothing more to do, and all is well: help and version.
struct CleanExit: Error {
    /// For standard output.
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// The command could not do what it was asked.
struct Failure: Error {
    /// What happened, one sentence.
    let message: String
    /// What to do next, a line each.
    let next: [String]
    /// A stable name for scripts.
    let code: String
    /// The server's own code, when it was the server who refused.
    let serverCode: String?
    /// 1, or 3 when the server cannot be reached.
    let status: Int32

    init(_ message: String, next: [String] = [], code: String, serverCode: String? = nil, status: Int32 = 1) {
        self.message = message
        self.next = next
        self.code = code
        self.serverCode = serverCode
        self.status = status
    }
}
