/// A parsed command line, checked against the declaration of its command.
struct Invocation: Sendable {
    /// The command that was called.
    let path: CommandPath
    /// Arguments by their declared names.
    let arguments: [String: String]
    /// The given options, by name.
    ///
    /// A switch has an empty value.
    let options: [String: String]
    /// The program's environment.
    let environment: [String: String]
    /// The streams to which the command writes its output.
    let terminal: Terminal

    /// Whether to respond in JSON.
    var isJSON: Bool { isOn("json") }

    /// An argument by its declared name; `nil` if it was left out.
    subscript(argument name: String) -> String? { arguments[name] }

    /// An argument that the parser requires.
    ///
    /// - Throws: ``UsageError`` if the command does not declare it, which is a bug in the program.
    func required(_ name: String) throws(UsageError) -> String {
        guard let value = arguments[name] else { throw usage("\(name) is missing.") }
        return value
    }

    /// Whether a switch was given.
    func isOn(_ name: String) -> Bool { options[name] != nil }

    /// An option's value, or that of its environment variable, or `nil`.
    ///
    /// An empty variable counts as absent.
    func value(_ name: String) -> String? {
        if let given = options[name] { return given }
        let declared = path.command?.options.first { $0.name == name }
        return declared?.environment.flatMap { environment[$0] }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An option's value as a number.
    ///
    /// - Parameters:
    ///   - name: the option.
    ///   - range: the accepted values.
    /// - Returns: the number, or `nil` when the option is absent.
    /// - Throws: ``UsageError`` naming option and range.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw usage("--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return number
    }

    /// Creates a usage error that shows how this command is used.
    func usage(_ message: String) -> UsageError {
        UsageError(message, path: path)
    }
}
