/// Renders the manual pages of the commands, in the macros of man(7).
enum Manual {
    /// Returns all pages: one for the program, and one for each of its commands with its subcommands.
    static func pages(_ tree: CommandTree) -> [(name: String, text: String)] {
        [("latchkey.1", overview(tree))]
            + tree.commands.map { ("latchkey-\($0.name).1", page(of: CommandPath(commands: [$0]))) }
    }

    private static func overview(_ tree: CommandTree) -> String {
        var lines = head("latchkey", "self-hosted auth server: guests first, e-mail sign-in later")
        lines += [
            ".SH SYNOPSIS", ".B latchkey", ".I COMMAND", "[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]", ".SH DESCRIPTION",
        ]
        lines += paragraphs(tree.discussion)
        for section in tree.sections {
            lines.append(".SH \(escaped(section.title).uppercased())")
            for command in section.commands {
                lines += [".TP", ".BR latchkey\\-\(escaped(command.name)) (1)", escaped(command.summary) + "."]
            }
        }
        lines += [
            ".SH OPTIONS", ".TP", ".BR \\-h \", \" \\-\\-help", "Show the help of the program or of a command.", ".TP",
            ".B \\-\\-version", "Show the version.",
        ]
        return text(lines + statuses + seeAlso(tree.commands.map(\.name)))
    }

    private static func page(of path: CommandPath) -> String {
        guard let command = path.command else { return "" }
        var lines = head("latchkey-\(command.name)", lowercasedFirst(command.summary))
        let parts = command.subcommands.isEmpty ? [path] : command.subcommands.map(path.appending)
        lines.append(".SH SYNOPSIS")
        for (index, part) in parts.enumerated() {
            if index > 0 { lines.append(".br") }
            lines += synopsis(of: part)
        }
        lines.append(".SH DESCRIPTION")
        lines += paragraphs(command.discussion.isEmpty ? command.summary + "." : command.discussion)
        if command.subcommands.isEmpty {
            lines += details(of: command)
        } else {
            lines.append(".SH COMMANDS")
            for subcommand in command.subcommands {
                lines.append(".SS \(escaped(subcommand.name))")
                lines += paragraphs(subcommand.summary + ".\n\n" + subcommand.discussion)
                lines += details(of: subcommand)
            }
        }
        return text(lines + statuses + seeAlso(["latchkey"]))
    }

    private static func head(_ name: String, _ summary: String) -> [String] {
        [
            ".TH \(escaped(name).uppercased()) 1 \"\" \"Latchkey \(escaped(Tool.version))\" \"User Commands\"",
            ".SH NAME", "\(escaped(name)) \\- \(escaped(summary))",
        ]
    }

    private static func synopsis(of path: CommandPath) -> [String] {
        let arguments = path.command?.arguments ?? []
        var words = arguments.map { $0.isOptional ? "[\\fI\(escaped($0.name))\\fR]" : "\\fI\(escaped($0.name))\\fR" }
        words.append("[\\fIOPTIONS\\fR]")
        return [".B \(escaped(path.words))", words.joined(separator: " ")]
    }

    private static func details(of command: Command) -> [String] {
        var lines: [String] = []
        for argument in command.arguments {
            lines += [".TP", ".I \(escaped(argument.name))", escaped(argument.help)]
        }
        for option in command.options {
            let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
            lines += [".TP", "\\fB\\-\\-\(escaped(option.name))\\fR\(value)", escaped(option.help)]
            if let environment = option.environment { lines.append("Environment variable: \(escaped(environment)).") }
            if let fallback = option.fallback { lines.append("Default: \(escaped(fallback)).") }
        }
        if !command.examples.isEmpty {
            lines += [".PP", "Examples:", ".PP", ".nf", ".RS"] + command.examples.map(escaped) + [".RE", ".fi"]
        }
        return lines
    }

    private static let statuses = [
        ".SH EXIT STATUS", ".TP", ".B 0", "Success.", ".TP", ".B 1", "A failure.", ".TP", ".B 2",
        "A wrong command line, or a configuration that cannot be used.", ".TP", ".B 3",
        "The server or the database cannot be reached.",
    ]

    private static func seeAlso(_ names: [String]) -> [String] {
        let references = names.map { ".BR \($0 == "latchkey" ? "latchkey" : "latchkey\\-" + escaped($0)) (1)" }
        return [".SH SEE ALSO"] + references.dropLast().map { $0 + "," } + references.suffix(1)
    }

    private static func paragraphs(_ text: String) -> [String] {
        TextWrapping.paragraphs(text).flatMap { [".PP"] + TextWrapping.wrap($0, width: 78).map(escaped) }
    }

    private static func lowercasedFirst(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

    /// Escapes a text for roff: the escape character, hyphens that a reader may copy, characters beyond ASCII, and a
    /// control character at the beginning of a line.
    private static func escaped(_ text: String) -> String {
        var plain = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": plain += "\\e"
            case "-": plain += "\\-"
            case _ where scalar.isASCII: plain.unicodeScalars.append(scalar)
            default: plain += "\\[u\(codePoint(scalar))]"
            }
        }
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }

    /// Returns the number of a character as groff_char(7) writes it: at least four hexadecimal digits, in upper case.
    private static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func text(_ lines: [String]) -> String {
        (lines + [""]).joined(separator: "\n")
    }
}
