extension Command {
    /// `latchkey serve`: runs the server until it is told to stop.
    static func serve(_ body: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "serve",
            summary: "Run the server",
            discussion: """
                Without any configuration it runs in development mode on this machine: the database is made in \
                latchkey-data/, mails go to a mailbox at /mailbox, and every link is printed here. Prints one line \
                when it is ready. SIGTERM and SIGINT let what is running finish, then stop it.

                An option comes before its variable, the variable before the file, the file before the default. \
                Secrets come from variables or files only: LATCHKEY_SECRET, LATCHKEY_SMTP_URL, LATCHKEY_ADMIN_KEY, \
                each also as ..._FILE. 'latchkey check-config' checks it all without starting.
                """,
            options: Option.serving,
            examples: ["latchkey serve", "latchkey serve --config /etc/latchkey.json5"],
            content: .body { invocation in
                try await body((), OperatorContext(invocation))
            }
        )
    }
}
