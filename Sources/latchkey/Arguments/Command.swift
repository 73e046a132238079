/// A command, declared as a value: the parser and the help read it.
struct Command: Sendable {
    /// What a command does once its arguments are read.
    typealias Body = @Sendable (Invocation) async throws -> Void

    /// The word on the command line.
    let name: String
    /// One line, an imperative without a full stop.
    let summary: String
    /// Paragraphs for the command's own help, parted by empty lines.
    var discussion = ""
    /// In their order; only the last ones may be optional.
    var arguments: [Argument] = []
    /// What it takes beside `--help`.
    var options: [Option] = []
    /// Complete command lines.
    var examples: [String] = []
    /// What it does, or the commands below it.
    let content: Content

    enum Content: Sendable {
        case body(Body)
        case commands([Command])
    }

    /// The commands below it.
    var subcommands: [Command] {
        guard case .commands(let commands) = content else { return [] }
        return commands
    }
}

/// A word that a command takes by its place.
struct Argument: Sendable {
    /// In capitals, as the help shows it.
    let name: String
    /// One sentence.
    let help: String
    /// Whether it may be left out.
    var isOptional = false
}

/// A word with `--` in front, with or without a value.
struct Option: Sendable {
    /// Without the `--`.
    let name: String
    /// The value's name in capitals; `nil` for a switch.
    var value: String?
    /// One or two sentences.
    let help: String
    /// The variable that gives the value when the option is absent.
    var environment: String?
    /// The value when option and variable are absent; only for the help.
    var fallback: String?
}
