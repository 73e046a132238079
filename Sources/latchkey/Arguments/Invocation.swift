/// What was said on the command line, checked against the declaration of its command.
struct Invocation: Sendable {
    /// The command that was called.
    let path: CommandPath
    /// Arguments by their declared names.
    let arguments: [String: String]
    /// Options that were given, by name; a switch has an empty value.
    let options: [String: String]
    /// The program's environment.
    let environment: [String: String]
    /// Where to write.
    let terminal: Terminal

    /// Whether the answer is to be JSON.
    var isJSON: Bool { isOn("json") }

    /// An argument by its declared name.
    subscript(argument name: String) -> String? { arguments[name] }

    /// An argument that the parser has made sure of.
    ///
    /// - Throws: ``UsageError`` when the command does not declare it: a mistake in the program, told as one.
    func required(_ name: String) throws(UsageError) -> String {
        guard let value = arguments[name] else { throw usage("\(name) is missing.") }
        return value
    }

    /// Whether a switch was given.
    func isOn(_ name: String) -> Bool { options[name] != nil }

    /// An option's value: as given, else from its variable, else `nil`.
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
    ///   - name: The option.
    ///   - range: What is accepted.
    /// - Returns: The number, or `nil` when the option is absent.
    /// - Throws: ``UsageError`` naming option and range.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw usage("--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return number
    }

    /// A mistake in how this command was called.
    func usage(_ message: String) -> UsageError {
        UsageError(message, path: path)
    }
}
