internal import Server

extension Command {
    /// `latchkey check-config`: reads the configuration as `serve` does, and reports what is wrong with it.
    static let checkConfiguration = Command(
        name: "check-config",
        summary: "Check the configuration without starting",
        discussion: """
            Reads options, environment variables and the file as 'latchkey serve' does. For each unknown key and bad \
            value, prints the file, the line, the key and the reason. Opens no connections.
            """,
        options: Option.serving + [.json],
        examples: ["latchkey check-config --config /etc/latchkey.json5"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            do {
                let configuration = try Configuration.load(
                    file: context.configurationFile,
                    environment: context.settings
                )
                guard configuration.harmlessProblems.isEmpty else {
                    throw ConfigurationError(problems: configuration.harmlessProblems)
                }
                let warnings = configuration.warnings
                try context.print(
                    CheckedConfiguration(mode: configuration.mode.rawValue, warnings: warnings),
                    lines: warnings.map { "Warning: \(Terminal.plain($0))" } + ["The configuration is valid."]
                )
            } catch {
                throw Failure(operating: error)
            }
        }
    )
}

/// The output of `latchkey check-config --json` for a usable configuration.
private struct CheckedConfiguration: Encodable {
    let mode: String
    let warnings: [String]
}
