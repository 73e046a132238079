internal import SMTPHarness
internal import Server

extension Command {
    static let serve = serve { _, context in
        let signals = StopSignals()
        let instance: Instance
        do {
            let configuration = try Configuration.load(
                file: context.configurationFile,
                environment: context.settings
            )
            instance = try Instance.start(configuration, logger: .standardError) { context.terminal.print($0) }
        } catch {
            throw Failure(operating: error)
        }
        for line in instance.announcements { context.terminal.print("latchkey: \(line)") }
        context.terminal.print("latchkey: listening on \(instance.url)")
        await signals.wait()
        context.terminal.print("latchkey: stopping")
        await withCheckedContinuation { continuation in
            // Stopping waits for requests and connections, so it has no place on the cooperative pool.
            runOnThread {
                instance.stop()
                continuation.resume()
            }
        }
    }

    static let mailbox = mailbox { arguments, context in
        let signals = StopSignals()
        guard let colon = arguments.listen.lastIndex(of: ":"),
            let port = UInt16(arguments.listen[arguments.listen.index(after: colon)...])
        else {
            throw Failure("\(arguments.listen) is no address; write it like 127.0.0.1:1025.", code: "usage", status: 2)
        }
        let server: SMTPServer
        do {
            server = try SMTPServer(.mailbox(address: String(arguments.listen[..<colon]), port: port))
            server.onMessage { message in context.terminal.print(message.summary) }
            let actual = try server.start()
            context.terminal.print("latchkey: mailbox listening on \(arguments.listen[..<colon]):\(actual)")
        } catch {
            throw Failure(operating: error)
        }
        await signals.wait()
        server.stop()
    }
}
