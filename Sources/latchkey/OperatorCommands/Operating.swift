internal import Server

/// Opens the database for an operator's command, runs work on it and closes it, and turns an error into a ``Failure``.
///
/// - Parameters:
///   - context: the command's configuration file, settings and environment.
///   - makesDatabase: whether a missing SQLite database is created.
///   - body: the work, with the open database.
/// - Returns: what `body` returns.
/// - Throws: ``Failure``.
func operating<Result>(
    _ context: OperatorContext,
    makesDatabase: Bool = false,
    _ body: (Operator) throws -> Result
) throws -> Result {
    do {
        let op = try Operator(
            file: context.configurationFile,
            environment: context.settings,
            makesDatabase: makesDatabase,
            reason: context.reason
        )
        defer { op.close() }
        return try body(op)
    } catch {
        throw Failure(operating: error)
    }
}

extension Failure {
    /// Describes why an operator's command failed.
    init(operating error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as ConfigurationError: self.init(error)
        case let failure as Operator.Failure: self.init("\(failure).", code: failure.code)
        default:
            if let reason = Operator.unreachable(error) {
                self.init("Cannot reach the database: \(reason)", code: "database-unreachable", status: 3)
            } else if let words = Operator.words(error) {
                self.init("Database error: \(words)", code: "failed")
            } else {
                self.init("\(error)".sentenceCase, code: "failed")
            }
        }
    }
}

extension String {
    /// The text with a capital at its start, unless it starts with a name: of a file, a setting or an address.
    fileprivate var sentenceCase: String {
        let isWord = prefix { $0 != " " }.allSatisfy { ("a"..."z").contains($0) }
        return isWord ? prefix(1).uppercased() + dropFirst() : self
    }
}
