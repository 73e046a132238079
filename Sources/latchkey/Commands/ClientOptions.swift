extension Option {
    /// Asks for JSON instead of text.
    static let json = Option(name: "json", help: "Answer in JSON, failures too, for scripts.")

    /// What every command that acts as a client takes.
    static let client = [
        Option(
            name: "server",
            value: "URL",
            help: "The server to talk to.",
            environment: "LATCHKEY_URL",
            fallback: ClientSession.defaultServer
        ),
        Option(
            name: "session",
            value: "FILE",
            help: "Where to keep who is signed in, with mode 0600.",
            environment: "LATCHKEY_SESSION",
            fallback: "~/.local/state/latchkey/session.json"
        ),
        Option(
            name: "api-key",
            value: "KEY",
            help: "The API key to send; a Latchkey server takes any.",
            environment: "LATCHKEY_API_KEY",
            fallback: ClientSession.defaultKey
        ),
        json,
    ]
}
