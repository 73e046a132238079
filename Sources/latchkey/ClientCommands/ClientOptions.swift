extension Option {
    /// The option `--json`, which asks for JSON instead of text.
    static let json = Option(name: "json", help: "Print JSON, also for failures.")

    /// The options of every client command.
    static let client = [
        Option(
            name: "server",
            value: "URL",
            help: "The server's URL.",
            environment: "LATCHKEY_URL",
            fallback: ClientSession.defaultServer
        ),
        Option(
            name: "session",
            value: "FILE",
            help: "The file that stores the session, with mode 0600.",
            environment: "LATCHKEY_SESSION",
            fallback: "~/.local/state/latchkey/session.json"
        ),
        Option(
            name: "api-key",
            value: "KEY",
            help: "The API key to send; a Latchkey server accepts any key.",
            environment: "LATCHKEY_API_KEY",
            fallback: ClientSession.defaultKey
        ),
        json,
    ]
}
