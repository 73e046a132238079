/// Renders the help of commands, for 80 columns.
enum Help {
    private static let width = 80
    private static let indent = "  "

    /// Returns the help of the whole program.
    static func text(for commands: CommandTree) -> String {
        var blocks = [
            "Latchkey, a self-hosted auth server: guests first, e-mail sign-in later.",
            "Usage: latchkey COMMAND [ARGUMENTS] [OPTIONS]",
        ]
        blocks += paragraphs(commands.discussion)
        blocks += commands.sections.map { section in
            list(section.title, section.commands.map { ($0.name, $0.summary + ".") })
        }
        blocks.append(
            list(
                "Options",
                [("-h, --help", "Show this help, or the help of a command."), ("--version", "Show the version.")]
            )
        )
        blocks.append("Run 'latchkey help COMMAND' for more about a command.")
        return joined(blocks)
    }

    /// Returns the help of a command or a group of commands.
    static func text(for path: CommandPath) -> String {
        guard let command = path.command else { return "" }
        var blocks = [command.summary + ".", usage(of: path)]
        blocks += paragraphs(command.discussion)
        if !command.subcommands.isEmpty {
            blocks.append(list("Commands", command.subcommands.map { ($0.name, $0.summary + ".") }))
        }
        if !command.arguments.isEmpty {
            blocks.append(list("Arguments", command.arguments.map { ($0.name, $0.help) }))
        }
        let options = command.options.map { (label($0), description($0)) }
        let shared = command.subcommands.isEmpty ? [(label(.quiet), description(.quiet))] : []
        blocks.append(list("Options", options + shared + [("-h, --help", "Show this help.")]))
        if !command.examples.isEmpty {
            blocks.append((["Examples:"] + command.examples.map { indent + $0 }).joined(separator: "\n"))
        }
        return joined(blocks)
    }

    /// Returns the usage line of a command; `nil` stands for the program.
    static func usage(of path: CommandPath?) -> String {
        guard let path, let command = path.command else { return "Usage: latchkey COMMAND [ARGUMENTS] [OPTIONS]" }
        var words = command.subcommands.isEmpty ? [] : ["COMMAND"]
        words += command.arguments.map { $0.isOptional ? "[\($0.name)]" : $0.name }
        words += command.options.isEmpty ? [] : ["[OPTIONS]"]
        return "Usage: " + ([path.words] + words).joined(separator: " ")
    }

    private static func label(_ option: Option) -> String {
        "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
    }

    private static func description(_ option: Option) -> String {
        var sources: [String] = []
        if let environment = option.environment { sources.append(environment) }
        if let fallback = option.fallback { sources.append("default: \(fallback)") }
        return option.help + (sources.isEmpty ? "" : " [\(sources.joined(separator: "; "))]")
    }

    private static func paragraphs(_ text: String) -> [String] {
        TextWrapping.paragraphs(text).map { TextWrapping.wrap($0, width: width).joined(separator: "\n") }
    }

    /// A titled list of terms and their meanings in two columns.
    ///
    /// A long term gets its own line.
    private static func list(_ title: String, _ entries: [(term: String, meaning: String)]) -> String {
        let longest = 22
        let terms = entries.map(\.term.count).filter { $0 <= longest }
        let column = (terms.max() ?? longest) + indent.count + 2
        var lines = [title + ":"]
        for entry in entries {
            let wrapped = TextWrapping.wrap(entry.meaning, width: width - column)
            let padding = String(repeating: " ", count: column)
            var head = indent + entry.term
            if entry.term.count > longest {
                lines.append(head)
                head = ""
            }
            head += String(repeating: " ", count: max(column - head.count, 0))
            lines.append(head + (wrapped.first ?? ""))
            lines += wrapped.dropFirst().map { padding + $0 }
        }
        return lines.joined(separator: "\n")
    }

    private static func joined(_ blocks: [String]) -> String {
        blocks.joined(separator: "\n\n") + "\n"
    }
}
