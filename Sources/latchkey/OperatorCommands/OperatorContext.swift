/// The parts of an invocation that every operator command uses.
struct OperatorContext: Sendable {
    /// The path of the configuration file, from `--config` or its variable; `nil` if neither is given.
    let configurationFile: String?
    /// Settings given as options, by the name of their variable: `LATCHKEY_LISTEN` for `--listen`.
    ///
    /// These settings override the environment.
    let overrides: [String: String]
    /// The program's environment.
    let environment: [String: String]
    /// The reason of a change, for the audit log; `nil` without one.
    let reason: String?
    /// Whether to respond in JSON.
    let isJSON: Bool
    /// The output streams.
    let terminal: Terminal

    init(_ invocation: Invocation) {
        configurationFile = invocation.value("config")
        var overrides: [String: String] = [:]
        for option in invocation.path.command?.options ?? [] where option.name != "config" {
            if let variable = option.environment, let value = invocation.options[option.name] {
                overrides[variable] = value
            }
        }
        self.overrides = overrides
        environment = invocation.environment
        reason = invocation.value("reason")
        isJSON = invocation.isJSON
        terminal = invocation.terminal
    }
}

extension OperatorContext {
    /// The environment, overridden by the options.
    var settings: [String: String] {
        environment.merging(overrides) { _, option in option }
    }

    /// Prints a report: JSON for scripts, lines for people.
    func print(_ report: some Encodable, lines: [String]) throws {
        if isJSON {
            try terminal.print(json: report)
        } else {
            for line in lines { terminal.print(line) }
        }
    }
}

extension Option {
    /// The option for the configuration file.
    static let config = Option(
        name: "config",
        value: "FILE",
        help: "The configuration file, in JSON5.",
        environment: "LATCHKEY_CONFIG"
    )

    /// The option for the server's public URL.
    static let publicURL = Option(
        name: "public-url",
        value: "URL",
        help: "The server's public URL; links in e-mails begin with it.",
        environment: "LATCHKEY_PUBLIC_URL"
    )

    /// The option for the database.
    static let database = Option(
        name: "database",
        value: "URL",
        help: "The database: sqlite:PATH or postgresql://HOST/NAME.",
        environment: "LATCHKEY_DATABASE"
    )

    /// The options of every command that works on the database.
    static let operating = [config, database]

    /// The reason of a change, which the audit log keeps.
    static let reason = Option(
        name: "reason",
        value: "TEXT",
        help: "Why you make this change; 'latchkey audit' shows it."
    )

    /// The options of every command that changes the database.
    static let changing = [reason] + operating

    /// The settings that may be given as options.
    ///
    /// Secrets are not among them, because every user of the machine can see a command line.
    static let serving = [
        config,
        Option(
            name: "mode",
            value: "MODE",
            help: "'development' or 'production'.",
            environment: "LATCHKEY_MODE",
            fallback: "development"
        ),
        Option(
            name: "listen",
            value: "ADDRESS",
            help: "Address and port to listen on.",
            environment: "LATCHKEY_LISTEN",
            fallback: "127.0.0.1:9099"
        ),
        database,
        publicURL,
        Option(
            name: "project-id",
            value: "ID",
            help: "The project ID in tokens.",
            environment: "LATCHKEY_PROJECT_ID",
            fallback: "demo-latchkey"
        ),
        Option(
            name: "mail-from",
            value: "ADDRESS",
            help: "The sender of e-mails.",
            environment: "LATCHKEY_MAIL_FROM"
        ),
    ]
}
