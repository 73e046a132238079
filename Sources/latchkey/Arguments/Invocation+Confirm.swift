extension Option {
    /// The option of commands that ask before they do what cannot be undone.
    static let yes = Option(name: "yes", help: "Do it without a question, as scripts need.")
}

extension Invocation {
    /// Asks a person before something that cannot be undone, unless `--yes` is given.
    ///
    /// - Parameter consequence: what will happen, one or two whole sentences.
    /// - Throws: ``UsageError`` without a terminal to ask on; ``Failure`` `cancelled` for any answer but yes.
    func confirm(_ consequence: String) throws {
        guard !isOn("yes") else { return }
        guard let ask = terminal.ask else {
            throw usage("\(Terminal.plain(consequence)) Without a terminal to ask on, this needs --yes.")
        }
        let answer = ask("\(Terminal.plain(consequence))\nType yes to go on: ")
        guard answer?.lowercased() == "yes" else { throw Failure("Nothing has changed.", code: "cancelled") }
    }
}
