/// A command, declared as a value that the parser and the help read.
struct Command: Sendable {
    /// The code of a command, which runs after its arguments are read.
    typealias Body = @Sendable (Invocation) async throws -> Void

    /// The command's word on the command line.
    let name: String
    /// The summary in one line, an imperative without a full stop.
    let summary: String
    /// Paragraphs for the command's own help, separated by empty lines.
    var discussion = ""
    /// The arguments in order.
    ///
    /// Only the last ones may be optional.
    var arguments: [Argument] = []
    /// The options besides `--help`.
    var options: [Option] = []
    /// Examples, as complete command lines.
    var examples: [String] = []
    /// The command's code, or its subcommands if it is a group.
    let content: Content

    enum Content: Sendable {
        case body(Body)
        case commands([Command])
    }

    /// The subcommands.
    var subcommands: [Command] {
        guard case .commands(let commands) = content else { return [] }
        return commands
    }
}

extension Option {
    /// The option of every command to print nothing but failures and questions.
    static let quiet = Option(name: "quiet", help: "Print nothing but failures, questions and JSON.")
}

/// A positional argument of a command.
struct Argument: Sendable {
    /// The name in upper case, as the help shows it.
    let name: String
    /// The description, one sentence.
    let help: String
    /// Whether the argument may be left out.
    var isOptional = false
}

/// An option with `--`, with or without a value.
struct Option: Sendable {
    /// The name without the `--`.
    let name: String
    /// The value's name in upper case; `nil` for a switch.
    var value: String?
    /// The description, one or two sentences.
    let help: String
    /// The environment variable that gives the value when the option is absent; `nil` for none.
    var environment: String?
    /// The default value when option and variable are absent; `nil` for none.
    ///
    /// Only the help uses this text; the command's code applies the default.
    var fallback: String?
}
