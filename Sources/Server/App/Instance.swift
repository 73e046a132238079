internal import Accounts
package import Database
package import HTTPServer
internal import JSON
internal import LeasedQueue
internal import Mail
internal import SMTPHarness
internal import Tokens
internal import Transfer

/// A running server: the HTTP listeners, the workers that send e-mails and hook messages, and the housekeeping around
/// one database.
package final class Instance: Sendable {
    /// Messages for the operator at the terminal, in order.
    package let announcements: [String]
    /// All routes of the server, without those of the admin listener, which are some of them.
    package let routes: [(method: Method, pattern: String)]
    let services: Services
    let listeners: HTTPListeners
    let delivery: MailDelivery
    /// The operator's template files in use.
    let templateFiles: Current<TemplateFiles>
    private let mailbox: DevelopmentMailbox?
    private let hookDelivery: HookDelivery
    private let mailing: Task<Void, Never>
    private let hooking: Task<Void, Never>
    /// The tasks that the stop cancels as soon as the listeners have stopped, such as housekeeping and sweeping.
    ///
    /// The workers for e-mails and hook messages are not among them: they may first finish what they are sending.
    private let background: [Task<Void, Never>]
    /// Tasks that log sums of events.
    ///
    /// The tasks are cancelled after the database was closed, so that nothing remains unlogged.
    private let logging: [Task<Void, Never>]

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - configuration: the configuration, already checked.
    ///   - environment: the clock and other things that tests replace.
    ///   - logger: receives all events from now on.
    ///   - announce: prints a line for the operator at the terminal, now and later.
    /// - Throws: an error that says what prevents the start and what to do about it.
    package static func start(
        _ configuration: Configuration,
        environment: InstanceEnvironment = InstanceEnvironment(),
        logger: Log,
        announce: @escaping @Sendable (String) -> Void
    ) throws -> Instance {
        let mailbox = try DevelopmentMailbox(configuration, announce: announce)
        let store = try Store.open(configuration, environment: environment, logger: logger)
        do {
            return try Instance(configuration, environment, store: store, mailbox: mailbox, logger: logger)
        } catch {
            mailbox?.stop()
            store.database.close()
            throw error
        }
    }

    private init(
        _ configuration: Configuration,
        _ environment: InstanceEnvironment,
        store: Store,
        mailbox: DevelopmentMailbox?,
        logger: Log
    ) throws {
        let signingKeys = SigningKeys(secrets: store.secrets)
        let templates = try CompiledTemplates.load(
            overriding: configuration.templates,
            defaultLocale: configuration.defaultLocale,
            brand: configuration.brand
        )
        templateFiles = Current(TemplateFiles(configuration.templates))
        for warning in templates.warnings {
            logger("templates", ("detail", .string(warning)))
        }
        AssetReport.announce(store.database, logger: logger)
        let wakeUp = WakeUp(), hooksWakeUp = WakeUp()
        services = try Services(
            configuration,
            environment,
            store,
            signingKeys,
            templates.pages,
            wake: WorkerWakeUps(announcedBy: store.database, mails: wakeUp, hooks: hooksWakeUp),
            logger: logger
        ) {
            mailbox?.clear()
        }
        let worker = try TokenID.random().text
        delivery = try MailDelivery.make(services, templates.emails, environment, mailbox: mailbox, worker: worker)
        wakeUp.set(delivery.wake)
        hookDelivery = HookDelivery(
            configuration,
            database: store.database,
            clock: { store.database.now },
            logger: logger,
            worker: worker
        )
        hooksWakeUp.set(hookDelivery.wake)
        try services.subscribe(waking: wakeUp, hooks: hooksWakeUp)

        if let move = services.firebaseMove {
            let state = try store.database.readNow { try AccountFlows.firebaseState(in: $0) }
            _ = move.use(state.phase)
        }
        var router = services.router()
        mailbox?.addRoutes(to: &router, services: services)
        routes = router.routes
        let services = self.services
        listeners = try HTTPListeners(configuration, services, router, idleTimeout: environment.idleTimeout)
        services.setListenerURL(listeners.url)
        self.mailbox = mailbox
        announcements = configuration.announcements(
            url: listeners.url,
            adminListener: listeners.adminAddress,
            hasMailbox: mailbox != nil
        )
        mailing = Task { [delivery] in await delivery.run() }
        hooking = Task { [hookDelivery] in await hookDelivery.run() }
        background = services.startBackground(signingKeys, environment, worker: worker)
        logging = [
            Task { await services.failureTrace.run(clock: services.clock) },
            Task { await services.sampler.run() },
        ]
    }

    /// What transactions have cost so far, by the name of their closures.
    package var transactionStatistics: [TransactionStatistics] { services.database.transactionStatistics }

    /// Scheme, host and port of the public listener; `http://unix:PATH` for a Unix socket.
    package var url: String { listeners.url }

    /// The address of the admin listener, such as `127.0.0.1:9199` or `unix:PATH`; `nil` without one.
    package var adminListener: String? { listeners.adminAddress }

    /// Whether every thread that serves connections answers within the given time; see `HTTPServer.Server`.
    ///
    /// Blocks, so it must not be called on the cooperative pool.
    func answers(within patience: Duration) -> Bool { listeners.answers(within: patience) }

    /// The address of the metrics listener, such as `127.0.0.1:9464` or `unix:PATH`; `nil` without one.
    package var metricsListener: String? { listeners.metricsAddress }

    /// Answers `/readyz` with 503 from now on, while everything else is served as before, so that load balancers send
    /// new requests elsewhere before ``stop(within:)``.
    package func announceStop() {
        services.readiness.announceStop()
    }

    /// How long to serve after ``announceStop()``: the setting `shutdown.drain`.
    package var drain: Duration { .milliseconds(services.configuration.drain) }

    /// Finishes running work, then stops.
    ///
    /// Blocks, so it must not be called on the cooperative pool.
    ///
    /// - Parameter patience: the time limit of each of three steps: for running requests, then for e-mails and hook
    ///   messages that are being sent, and then for the follow-up work of sign-ins.
    package func stop(within patience: Duration = .seconds(10)) {
        services.readiness.announceStop()
        services.changes.stop()
        services.ticketWaits.stop()
        listeners.stop(within: patience)
        for task in background { task.cancel() }
        delivery.stop()
        hookDelivery.stop()
        let done = end([mailing, hooking] + background)
        if done.take(within: patience) == nil {
            // A mail server or a hook does not answer. It may take a minute to be sure, so its messages wait for the
            // next start.
            delivery.abandon()
            hooking.cancel()
            done.take()
        }
        mailbox?.stop()
        services.signIns.finish(within: patience)
        // Commits what is waiting, also for requests whose connections are closed by now.
        services.database.close()
        for task in logging { task.cancel() }
        end(logging).take()
    }

    /// Returns a result that is provided once all tasks have ended.
    private func end(_ tasks: [Task<Void, Never>]) -> BlockingResult<Void> {
        let end = BlockingResult<Void>()
        Task {
            for task in tasks { await task.value }
            end.give(())
        }
        return end
    }
}
