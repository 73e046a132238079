/// What the body of an operator command gets beside its own arguments.
struct OperatorContext: Sendable {
    /// `--config`, or its variable.
    let configurationFile: String?
    /// Settings given as options, by the name of their variable: `LATCHKEY_LISTEN` for `--listen`.
    ///
    /// They come before the environment.
    let overrides: [String: String]
    /// The program's environment.
    let environment: [String: String]
    /// Whether the answer is to be JSON.
    let isJSON: Bool
    /// Where to write.
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
        isJSON = invocation.isJSON
        terminal = invocation.terminal
    }
}

extension Command {
    /// The body of an operator command: its own arguments, and what all of them get.
    typealias OperatorBody<Arguments> = @Sendable (Arguments, OperatorContext) async throws -> Void
}

extension Option {
    /// Names the configuration file.
    static let config = Option(
        name: "config",
        value: "FILE",
        help: "The configuration, JSON5.",
        environment: "LATCHKEY_CONFIG"
    )

    /// Names the database.
    static let database = Option(
        name: "database",
        value: "URL",
        help: "The database: sqlite:PATH or postgresql://HOST/NAME.",
        environment: "LATCHKEY_DATABASE"
    )

    /// What every command that works on the database takes.
    static let operating = [config, database]

    /// The settings that may be given as options.
    ///
    /// Secrets may not: everybody on the machine sees a command line.
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
        Option(
            name: "public-url",
            value: "URL",
            help: "Where people reach the server; links in mails begin with it.",
            environment: "LATCHKEY_PUBLIC_URL"
        ),
        Option(
            name: "project-id",
            value: "ID",
            help: "The project that tokens name.",
            environment: "LATCHKEY_PROJECT_ID",
            fallback: "demo-latchkey"
        ),
        Option(
            name: "mail-from",
            value: "ADDRESS",
            help: "The sender of mails.",
            environment: "LATCHKEY_MAIL_FROM"
        ),
    ]
}
