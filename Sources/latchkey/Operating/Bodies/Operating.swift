internal import Server

/// Does something as operator, and turns what stands in the way into a failure that says what to do.
///
/// - Parameters:
///   - context: where configuration and environment come from.
///   - makesDatabase: whether a database that is not there is made.
///   - body: the work.
func operating<Result>(
    _ context: OperatorContext,
    makesDatabase: Bool = false,
    _ body: (Operator) throws -> Result
) throws -> Result {
    do {
        let op = try Operator(
            file: context.configurationFile,
            environment: context.settings,
            makesDatabase: makesDatabase
        )
        defer { op.close() }
        return try body(op)
    } catch {
        throw Failure(operating: error)
    }
}

extension OperatorContext {
    /// The environment with the options on top.
    var settings: [String: String] {
        environment.merging(overrides) { _, option in option }
    }

    /// Prints a report: JSON for a script, lines for a person.
    func print(_ report: some Encodable, lines: [String]) throws {
        if isJSON {
            try terminal.print(json: report)
        } else {
            for line in lines { terminal.print(line) }
        }
    }
}

extension Failure {
    /// What keeps an operator's command from being done.
    init(operating error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let configuration as ConfigurationError:
            self.init(
                "The configuration cannot be used:",
                next: configuration.problems.map { "  \($0)" },
                code: "configuration",
                status: 2
            )
        case let failure as Operator.Failure:
            self.init("\(failure).".capitalizedFirst, code: failure.code)
        default:
            if let reason = Operator.unreachable(error) {
                self.init("Cannot reach the database: \(reason)", code: "database-unreachable", status: 3)
            } else if let words = Operator.words(error) {
                self.init("The database refuses: \(words)", code: "failed")
            } else {
                self.init("\(error)".capitalizedFirst, code: "failed")
            }
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
