internal import JSON
internal import Server

extension Command {
    /// `latchkey serve`: runs the server until a signal stops it.
    static let serve = Command(
        name: "serve",
        summary: "Run the server",
        discussion: """
            Without configuration, the server runs in development mode on this machine: it creates the database in \
            latchkey-data/, shows e-mails at /mailbox, and prints every link. When it is ready, it prints its \
            address. On SIGTERM or SIGINT it finishes running requests, then stops; \
            a second signal ends the wait of shutdown.drain. On SIGHUP it reads its \
            configuration, templates and certificate again; the log says what changed.

            An option overrides its environment variable, the variable overrides the file, and the file overrides the \
            default. Secrets come from variables or files only: LATCHKEY_SECRET, LATCHKEY_SMTP_URL, \
            LATCHKEY_ADMIN_KEY, each also as ..._FILE. 'latchkey check-config' checks all settings without starting.
            """,
        options: Option.serving,
        examples: ["latchkey serve", "latchkey serve --config /etc/latchkey.json5"],
        content: .body { invocation in
            let context = OperatorContext(invocation)
            MemoryArenas.limit(environment: context.environment)
            let signals = ServerSignals()
            let notices = ServerNotices(context.terminal)
            var isConfigured = false
            let instance: Instance
            do {
                let configuration = try Configuration.load(
                    file: context.configurationFile,
                    environment: context.settings
                )
                Log.standardError.use(configuration.logFormat, from: configuration.logLevel)
                isConfigured = true
                instance = try Instance.start(configuration, logger: .standardError) {
                    notices("server.mail", $0, [("text", .string($0))])
                }
            } catch {
                let failure = Failure(operating: error)
                guard isConfigured, Log.standardError.format == .json else { throw failure }
                throw LoggedFailure(failure, to: .standardError)
            }
            for line in instance.announcements {
                notices("server.notice", "latchkey: \(line)", [("text", .string(line))])
            }
            notices("server.listening", "latchkey: listening on \(instance.url)", [("url", .string(instance.url))])
            let manager = ServiceManager(environment: context.environment)
            manager?.ready("Listening on \(instance.url)")
            let watchdog = manager.flatMap { Watchdog($0, instance, logger: .standardError) }
            await signals.waitForStop {
                manager?.reloading()
                await withCheckedContinuation { continuation in
                    runOnThread {
                        instance.reload {
                            try Configuration.load(file: context.configurationFile, environment: context.settings)
                        }
                        continuation.resume()
                    }
                }
                manager?.ready("Listening on \(instance.url)")
            }
            manager?.stopping()
            if instance.drain > .zero {
                instance.announceStop()
                let seconds = instance.drain.components.seconds
                notices(
                    "server.draining",
                    "latchkey: stopping in \(seconds) s",
                    [("seconds", .number(JSONNumber(seconds)))]
                )
                await signals.waitForStop(atMost: instance.drain)
            }
            notices("server.stopping", "latchkey: stopping", [])
            watchdog?.stop()
            await withCheckedContinuation { continuation in
                // Stopping blocks until requests and connections end, so it must not run on the cooperative pool.
                runOnThread {
                    instance.stop()
                    continuation.resume()
                }
            }
        }
    )
}
