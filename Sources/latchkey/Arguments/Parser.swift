internal import Server

/// Parses a command line according to the declared commands.
///
/// Options may stand before or after the command and between its arguments, as `--name VALUE` or `--name=VALUE`. `--`
/// ends them. `--help` takes precedence over wrong arguments and undeclared options, but not over an unknown command or
/// an option without its value.
struct Parser {
    let commands: CommandTree
    let environment: [String: String]
    let terminal: Terminal

    /// Finds the command and its arguments.
    ///
    /// - Parameter words: the command line without the program's name.
    /// - Returns: the code to run, and its invocation.
    /// - Throws: ``UsageError``, or ``CleanExit`` for help and version.
    func parse(_ words: [String]) throws -> (body: Command.Body, invocation: Invocation) {
        let (named, tokens) = try split(words)
        let path = tokens.contains(where: \.isHelp) ? named : named?.completed
        guard let path, let command = path.command else {
            if tokens.contains(where: \.isVersion) { throw CleanExit("latchkey \(Tool.version)\n") }
            try refuse(tokens.filter { !$0.isHelp }, path: nil)
            throw CleanExit(Help.text(for: commands))
        }
        if tokens.contains(where: \.isHelp) { throw CleanExit(Help.text(for: path)) }
        guard case .body(let body) = command.content else {
            let names = command.subcommands.map { "'\($0.name)'" }.joined(separator: ", ")
            throw UsageError("\(command.name) needs one of \(names).", path: path)
        }
        // Options first: otherwise the value of a misspelled option would be reported as an extra argument.
        let options = try options(tokens, of: path)
        let invocation = Invocation(
            path: path,
            arguments: try arguments(tokens, of: path),
            options: options,
            environment: environment,
            terminal: options["quiet"] != nil && options["json"] == nil ? terminal.quiet : terminal
        )
        return (body, invocation)
    }

    /// Separates the words that name the command from its arguments and options.
    private func split(_ words: [String]) throws -> (path: CommandPath?, tokens: [Token]) {
        if words.first == "help" { throw CleanExit(try help(Array(words.dropFirst()))) }
        var path: CommandPath?
        var tokens: [Token] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word != "--" else {
                tokens += rest.map { .word($0) }
                break
            }
            if word.hasPrefix("-") && word != "-" {
                tokens.append(try option(word, &rest, path: path))
                continue
            }
            let next = path.map { $0.command?.subcommands ?? [] } ?? commands.commands
            guard !next.isEmpty else {
                tokens.append(.word(word))
                continue
            }
            guard let command = next.first(where: { $0.name == word }) else {
                throw unknown(word, among: next.map(\.name), path: path)
            }
            path = path?.appending(command) ?? CommandPath(commands: [command])
        }
        return (path, tokens)
    }

    /// Parses one option, with the value that follows it if it takes one.
    private func option(_ word: String, _ rest: inout ArraySlice<String>, path: CommandPath?) throws -> Token {
        guard word.hasPrefix("--") else {
            guard word == "-h" else { throw UsageError("There is no option \(word).", path: path) }
            return .option("help", nil)
        }
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        if let value = parts.dropFirst().first { return .option(name, String(value)) }
        // The command may still follow. An option has the same form in every command that declares it.
        let declarations = path?.command?.options ?? []
        let declared = declarations.first { $0.name == name } ?? anyOption(name)
        guard declared?.value != nil else { return .option(name, nil) }
        guard let value = rest.first, !value.hasPrefix("--") else {
            throw UsageError("--\(name) needs a value: --\(name) \(declared?.value ?? "VALUE").", path: path)
        }
        rest.removeFirst()
        return .option(name, value)
    }

    private func anyOption(_ name: String) -> Option? {
        if name == Option.quiet.name { return .quiet }
        return commands.paths.lazy.flatMap { $0.command?.options ?? [] }.first { $0.name == name }
    }

    private func options(_ tokens: [Token], of path: CommandPath) throws -> [String: String] {
        let declared = (path.command?.options ?? []) + [.quiet]
        var result: [String: String] = [:]
        for case .option(let name, let value) in tokens {
            guard let option = declared.first(where: { $0.name == name }) else {
                try refuse([.option(name, value)], path: path)
                continue
            }
            guard (value != nil) == (option.value != nil) else {
                throw UsageError("--\(name) takes no value.", path: path)
            }
            guard value != "" else { throw UsageError("--\(name) needs a value.", path: path) }
            guard result.updateValue(value ?? "", forKey: name) == nil else {
                throw UsageError("--\(name) is given twice.", path: path)
            }
        }
        return result
    }

    private func arguments(_ tokens: [Token], of path: CommandPath) throws -> [String: String] {
        var words = tokens.compactMap(\.word)[...]
        var result: [String: String] = [:]
        for argument in path.command?.arguments ?? [] {
            guard let word = words.popFirst() else {
                if argument.isOptional { continue }
                throw UsageError("\(argument.name) is missing.", path: path)
            }
            guard !word.isEmpty else { throw UsageError("\(argument.name) is empty.", path: path) }
            result[argument.name] = word
        }
        if let extra = words.first { throw UsageError("Unexpected argument '\(extra)'.", path: path) }
        return result
    }

    /// Throws a usage error for an undeclared option at the start of a list of tokens; does nothing if a word is there.
    private func refuse(_ tokens: [Token], path: CommandPath?) throws {
        guard case .option(let name, _)? = tokens.first else { return }
        guard path != nil || anyOption(name) == nil else {
            throw UsageError("A command is missing.", path: nil)
        }
        let names = (path?.command?.options.map(\.name) ?? ["version"]) + ["quiet", "help"]
        let place = path?.command.map { "\($0.name) has no option" } ?? "There is no option"
        let hint = Suggestion.nearest(to: name, among: names).map { " Did you mean --\($0)?" } ?? ""
        throw UsageError("\(place) --\(name).\(hint)", path: path)
    }

    private func unknown(_ word: String, among names: [String], path: CommandPath?) -> UsageError {
        let place = path?.command.map { "\($0.name) has no command" } ?? "There is no command"
        let hint = Suggestion.nearest(to: word, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return UsageError("\(place) '\(word)'.\(hint)", path: path)
    }

    private func help(_ words: [String]) throws -> String {
        var path: CommandPath?
        for word in words where !word.hasPrefix("-") {
            let next = path.map { $0.command?.subcommands ?? [] } ?? commands.commands
            guard let command = next.first(where: { $0.name == word }) else {
                throw unknown(word, among: next.map(\.name), path: path)
            }
            path = path?.appending(command) ?? CommandPath(commands: [command])
        }
        return path.map { Help.text(for: $0) } ?? Help.text(for: commands)
    }
}

/// One element of a command line.
private enum Token {
    case word(String)
    case option(String, String?)

    var word: String? {
        guard case .word(let word) = self else { return nil }
        return word
    }

    var isHelp: Bool { isSwitch("help") }
    var isVersion: Bool { isSwitch("version") }

    private func isSwitch(_ name: String) -> Bool {
        guard case .option(name, nil) = self else { return false }
        return true
    }
}
