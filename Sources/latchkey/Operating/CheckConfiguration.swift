extension Command {
    /// `latchkey check-config`: reads the configuration as `serve` would, and says what is wrong with it.
    static func checkConfiguration(_ body: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "check-config",
            summary: "Check the configuration without starting",
            discussion: """
                Reads options, variables and file as 'latchkey serve' does. Unknown keys and bad values are named with \
                file, key and reason. Nothing is contacted.
                """,
            options: Option.serving + [.json],
            examples: ["latchkey check-config --config /etc/latchkey.json5"],
            content: .body { invocation in
                try await body((), OperatorContext(invocation))
            }
        )
    }
}
