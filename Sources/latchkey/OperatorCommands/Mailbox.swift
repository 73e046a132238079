internal import SMTPHarness

extension Command {
    /// `latchkey mailbox`: runs the SMTP server until a signal stops it.
    static let mailbox = Command(
        name: "mailbox",
        summary: "Run only the mailbox, an SMTP server that delivers nothing",
        discussion: """
            Accepts every e-mail, keeps it in memory, and prints a summary of it, so you can test e-mails without \
            sending any. In development mode, 'latchkey serve' runs its own mailbox.
            """,
        options: [
            Option(
                name: "listen",
                value: "ADDRESS",
                help: "Address and port for SMTP; a loopback address.",
                fallback: "127.0.0.1:1025"
            ),
            .json,
        ],
        examples: ["latchkey mailbox", "latchkey mailbox --listen 127.0.0.1:2525"],
        content: .body { invocation in
            let terminal = invocation.terminal
            let listen = invocation.value("listen") ?? "127.0.0.1:1025"
            let signals = ServerSignals()
            guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
                throw Failure("\(listen) is not an address; write it like 127.0.0.1:1025.", code: "usage", status: 2)
            }
            let server: SMTPServer
            do {
                server = try SMTPServer(.mailbox(address: String(listen[..<colon]), port: port))
                server.onMessage { message in terminal.print(message.summary) }
                let actual = try server.start()
                terminal.print("latchkey: mailbox listening on \(listen[..<colon]):\(actual)")
            } catch {
                throw Failure(operating: error)
            }
            await signals.waitForStop()
            server.stop()
        }
    )
}
