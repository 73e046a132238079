internal import Server

extension Command {
    /// `latchkey preview`: shows every page and e-mail until a signal stops it.
    static let preview = Command(
        name: "preview",
        summary: "Show every page and e-mail with your brand and templates",
        discussion: """
            Serves every page and e-mail in every state and language on this machine, with made-up values and with the \
            brand and the templates of the configuration. An edited template shows when you load a page again. Opens no \
            database and sends nothing.
            """,
        options: [
            .config,
            Option(
                name: "listen",
                value: "ADDRESS",
                help: "Address and port to listen on; a loopback address.",
                fallback: "127.0.0.1:9098"
            ),
        ],
        examples: ["latchkey preview", "latchkey preview --config /etc/latchkey.json5"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            let signals = ServerSignals()
            let preview: Preview
            do {
                let configuration = try Configuration.load(
                    file: context.configurationFile,
                    environment: context.settings
                )
                for warning in configuration.warnings { context.terminal.print("latchkey: Warning: \(warning)") }
                preview = try Preview(configuration, listen: invocation.value("listen") ?? "127.0.0.1:9098")
            } catch {
                throw Failure(operating: error)
            }
            for warning in preview.warnings { context.terminal.print("latchkey: Warning: \(warning)") }
            context.terminal.print("latchkey: preview on \(preview.url)")
            await signals.waitForStop()
            preview.stop()
        }
    )
}
