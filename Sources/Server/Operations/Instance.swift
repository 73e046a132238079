internal import Accounts
internal import Database
package import HTTPServer
internal import JSON
internal import Mail
internal import SMTPHarness
internal import Tokens
internal import Transfer

/// A running server: the HTTP listener, the mail workers and the housekeeping around one database.
package final class Instance: Sendable {
    /// Scheme, host and port of the listener.
    package let url: String
    /// Where the admin listener is, `127.0.0.1:9199` or `unix:PATH`; `nil` without one.
    package let adminListener: String?
    /// What a person at the terminal should know, in order.
    package let announcements: [String]
    /// What the listener answers.
    package let routes: [(method: Method, pattern: String)]
    private let services: Services
    private let server: HTTPServer.Server
    private let adminServer: HTTPServer.Server?
    private let delivery: MailDelivery
    private let mailbox: DevelopmentMailbox?
    private let hookDelivery: HookDelivery
    private let mailing: Task<Void, Never>
    private let hooking: Task<Void, Never>
    /// What runs beside requests until the stop cancels it.
    private let background: [Task<Void, Never>]

    /// Starts everything.
    ///
    /// - Parameters:
    ///   - configuration: checked already.
    ///   - surroundings: what it takes from the machine.
    ///   - logger: takes what happens from now on.
    ///   - announce: prints a line for the person at the terminal, now and later.
    /// - Throws: what stands in the way, with what to do about it.
    package static func start(
        _ configuration: Configuration,
        surroundings: Surroundings = Surroundings(),
        logger: Log,
        announce: @escaping @Sendable (String) -> Void
    ) throws -> Instance {
        let mailbox = try DevelopmentMailbox(configuration, announce: announce)
        let store = try Store.open(configuration, surroundings: surroundings, logger: logger)
        do {
            return try Instance(configuration, surroundings, store: store, mailbox: mailbox, logger: logger)
        } catch {
            mailbox?.stop()
            store.database.close()
            throw error
        }
    }

    private init(
        _ configuration: Configuration,
        _ surroundings: Surroundings,
        store: Store,
        mailbox: DevelopmentMailbox?,
        logger: Log
    ) throws {
        let signingKeys = SigningKeys(secrets: store.secrets)
        let keySet = try store.database.writeNow { transaction in
            try signingKeys.load(algorithm: configuration.signingAlgorithm, in: transaction)
        }
        let pages = try PageTemplates.load(
            overriding: configuration.templates,
            defaultLocale: configuration.defaultLocale
        )
        AssetReport.announce(store.database, logger: logger)
        let wakeUp = WakeUp(), hooksWakeUp = WakeUp()
        services = Services(
            configuration: configuration,
            database: store.database,
            secrets: store.secrets,
            idTokens: IDTokens(
                issuer: configuration.tokenIssuer,
                audience: configuration.projectID,
                keys: keySet
            ),
            pageTemplates: pages,
            clock: { store.database.now },
            logger: logger,
            pace: surroundings.listening,
            probeInterval: surroundings.probeInterval,
            challengeDifficulty: surroundings.challengeDifficulty,
            mailQueued: {
                wakeUp.call()
                store.database.announce(.mail)
            },
            hooksQueued: {
                hooksWakeUp.call()
                store.database.announce(.hooks)
            },
            forgetMails: { mailbox?.clear() }
        )
        let worker = try TokenID.random().text
        delivery = try Self.delivery(services, mailbox: mailbox, worker: worker)
        wakeUp.set(delivery.wake)
        hookDelivery = HookDelivery(
            configuration,
            database: store.database,
            clock: { store.database.now },
            logger: logger,
            worker: worker
        )
        hooksWakeUp.set(hookDelivery.wake)
        try store.database.hear { [changes = services.changes] news in
            for item in news {
                switch item {
                case .user(let uid): changes.hear(uid)
                case .mail: wakeUp.call()
                case .hooks: hooksWakeUp.call()
                case .anything:
                    changes.hearAnything()
                    wakeUp.call()
                    hooksWakeUp.call()
                }
            }
        }

        var router = services.router()
        mailbox?.addRoutes(to: &router, services: services)
        routes = router.routes
        let services = self.services
        let sampler = LogSampler(logger, clock: services.clock)
        func server(_ http: HTTPConfiguration, _ router: Router) -> HTTPServer.Server {
            HTTPServer.Server(
                configuration: http,
                router: router,
                errorResponse: services.errorResponse,
                onEvent: { event in Self.log(event, to: sampler) }
            )
        }
        let adminRouter = services.adminRouter(from: router)
        adminServer = try configuration.adminHTTP().map { server($0, adminRouter) }
        self.server = server(try configuration.http(), router)
        adminListener = try adminServer?.start().description
        do {
            let address = try self.server.start()
            url = "\(configuration.tls == nil ? "http" : "https")://\(address)"
        } catch {
            adminServer?.stop(within: .zero)
            throw error
        }
        services.setListenerURL(url)
        self.mailbox = mailbox
        announcements = configuration.announcements(adminListener: adminListener)
        let housekeeping = Housekeeping(
            services: services,
            signingKeys: signingKeys,
            interval: surroundings.housekeepingInterval,
            worker: worker
        )
        mailing = Task { [delivery] in await delivery.run() }
        hooking = Task { [hookDelivery] in await hookDelivery.run() }
        let sweeper = Sweeper(database: services.database, flows: services.flows, worker: worker)
        background = [
            Task { await housekeeping.run() },
            Task { await housekeeping.watchKeys() },
            Task { await sweeper.run(every: surroundings.housekeepingInterval * 2, services) },
            Task { await services.readiness.run() },
            Task { await services.installation.run(services.database) },
            Task { await services.codeBreakers.run(clock: services.clock) },
            Task { await services.failureTrace.run(clock: services.clock) },
            Task { await sampler.run() },
        ]
    }

    /// Finishes what is running, then stops.
    ///
    /// Waits, so not from the cooperative pool.
    ///
    /// - Parameter patience: how long requests and the mail in hand may take.
    package func stop(within patience: Duration = .seconds(10)) {
        services.changes.stop()
        let deadline = ContinuousClock.now + patience
        adminServer?.stop(within: patience)
        server.stop(within: max(.zero, deadline - .now))
        for task in background { task.cancel() }
        delivery.stop()
        hookDelivery.stop()
        let done = Handover<Void>()
        Task { [mailing, hooking, background] in
            await mailing.value
            await hooking.value
            for task in background { await task.value }
            done.give(())
        }
        if done.take(within: patience) == nil {
            // A mail server or a hook is silent. It may take a minute to be sure of that, so all waits for the next start.
            delivery.abandon()
            hooking.cancel()
            done.take()
        }
        mailbox?.stop()
        services.signIns.finish(within: patience)
        services.database.close()
    }

    /// Client addresses are personal data, so they stay out of the log.
    private static func log(_ event: ServerEvent, to sampler: LogSampler) {
        switch event {
        case .handlerFailed: break  // `errorResponse` logs what matters of it.
        case .responseRefused(let method, let path):
            sampler("http.response-refused", detail: "\(method.rawValue) \(path)")
        case .deadlinePassed: sampler("http.deadline-passed")
        case .addressRefused: sampler("http.address-refused")
        case .connectionsEvicted: sampler("http.connections-evicted")
        case .library(let text): sampler("http.library", detail: text)
        }
    }

    private static func delivery(
        _ services: Services,
        mailbox: DevelopmentMailbox?,
        worker: String
    ) throws -> MailDelivery {
        let configuration = services.configuration
        let sender: MailSender
        do { sender = try MailSender(parsing: configuration.mailFrom) } catch {
            throw StartError.invalidMailSender(error.description)
        }
        let templates = try EmailTemplates.load(
            overriding: configuration.templates,
            defaultLocale: configuration.defaultLocale
        )
        var settings = DeliverySettings()
        settings.workers = configuration.mailWorkers
        settings.lease = configuration.mailRetry.lease
        settings.retries = RetrySchedule(first: configuration.mailRetry.first, longest: configuration.mailRetry.longest)
        return MailDelivery(
            outbox: MailOutbox(
                database: services.database,
                flows: services.flows,
                publicURL: { services.publicURL },
                senderDomain: sender.domain,
                logger: services.logger
            ),
            composer: MailComposer(
                sender: sender,
                appName: try HeaderText(configuration.appName),
                templates: templates
            ),
            smtp: try configuration.smtp(mailbox: mailbox?.smtpURL),
            settings: settings,
            worker: worker,
            onEvent: { event in
                services.logger("mail", ("level", .string("\(event.level)")), ("detail", .string(event.description)))
            }
        )
    }
}
