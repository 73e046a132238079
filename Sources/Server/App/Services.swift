package import Accounts
package import Database
internal import HTTPServer
internal import JSON
internal import Synchronization
package import Tokens

/// The services that endpoints use.
///
/// Created once, at the start.
package final class Services: Sendable {
    private let currentConfiguration: Current<Configuration>
    package let database: any Database
    package let flows: AccountFlows
    package let secrets: ServerSecrets
    package let idTokens: IDTokens
    private let currentPages: Current<Pages>
    /// The database's time in milliseconds since 1970, for limits and for the expiry of tokens.
    let clock: @Sendable () -> Int64
    let logger: Log
    /// Wakes the workers of all nodes that send e-mails and messages to hooks.
    let wake: WorkerWakeUps
    let mergeQuestions: MergeQuestions
    /// The issuers beside this server whose tokens sign users in.
    let issuers: TrustedIssuers
    /// The move from a project at Firebase; `nil` without one.
    let firebaseMove: FirebaseMove?
    private let currentOrigins: Current<AllowedOrigins>
    /// The rules for web pages that call the API in production.
    let webOrigins: WebOrigins
    /// The rules for requests in development mode; `nil` in production.
    let developmentGuard: DevelopmentGuard?
    /// The operator's lists of networks.
    let admission: NetworkAdmission
    /// Limit what each client and its network may do in an hour.
    let limiters: ClientLimiters
    /// The networks whose limits a command has lifted.
    let liftedNetworks: LiftedNetworks
    /// Counts refused calls and wrong credentials for the log.
    let failureTrace: FailureTrace
    /// Logs events that unauthenticated clients can cause, and sums up frequent ones.
    let sampler: LogSampler
    /// Logs hints once.
    let once: OnceLog
    /// Serves the change streams of documents.
    package let changes: Changes
    /// Keeps calls waiting until their tickets change.
    package let ticketWaits: TicketWaits
    let storageReserve: StorageReserve
    let readiness: Readiness
    /// What this node has counted, for `/metrics`.
    let metrics = ServerMetrics()
    /// Counts the created guests and requested e-mails of the current minute across all nodes.
    let installation = InstallationMeters()
    let mailCeiling: MailCeiling
    /// The pauses in accepting sign-in codes that this node knows of.
    let codeBreakers: CodeBreakers
    /// Records after sign-ins from which clients an e-mail address signs in, and ends the sessions that a user has
    /// beyond the limit.
    let signIns: SignInRecorder
    /// Writes into the trace what happens beside transactions: opened links and refused requests.
    let traces: TraceRecorder
    /// Counts for the console what clean-up would do.
    let cleanupCounter: CleanupCounter
    /// The number of zero bits that the easiest proof-of-work challenge requires.
    let challengeDifficulty: Int
    /// Empties the development mailbox.
    let forgetMails: @Sendable () -> Void
    /// The administrators when this node last read them, a few seconds ago.
    private let administrators = Mutex(AdministratorList(stored: nil))
    private let listenerURL = Mutex("")
    private let quota: StreamQuota

    /// Makes the services from their parts.
    package init(
        configuration: Configuration,
        database: any Database,
        secrets: ServerSecrets,
        idTokens: IDTokens,
        pageTemplates: PageTemplates,
        clock: @escaping @Sendable () -> Int64,
        logger: Log,
        pace: Changes.Pace = Changes.Pace(),
        probeInterval: Duration = .seconds(5),
        mergePatience: Duration = .seconds(5),
        challengeDifficulty: Int = Services.leastChallengeDifficulty,
        wake: WorkerWakeUps,
        forgetMails: @escaping @Sendable () -> Void = {}
    ) {
        currentConfiguration = Current(configuration)
        self.database = database
        flows = AccountFlows(policy: configuration.policy, secrets: secrets)
        signIns = SignInRecorder(database, flows: flows, logger: logger)
        traces = TraceRecorder(database, flows: flows, secrets: secrets, logger: logger)
        self.secrets = secrets
        self.idTokens = idTokens
        currentPages = Current(Pages(configuration, pageTemplates, clock: clock))
        self.clock = clock
        self.logger = logger
        codeBreakers = CodeBreakers(logger: logger)
        cleanupCounter = CleanupCounter(database, flows: flows)
        self.wake = wake
        self.challengeDifficulty = challengeDifficulty
        self.forgetMails = forgetMails
        mergeQuestions = MergeQuestions(configuration, patience: mergePatience, clock: clock)
        issuers = TrustedIssuers(configuration, clock: clock, logger: logger)
        currentOrigins = Current(AllowedOrigins(configuration))
        webOrigins = WebOrigins(configuration, logger: logger)
        developmentGuard =
            configuration.mode == .development
            ? DevelopmentGuard(additionalHosts: configuration.developmentHosts) : nil
        admission = NetworkAdmission(configuration.networkLists)
        limiters = ClientLimiters(configuration, admission)
        liftedNetworks = LiftedNetworks(since: clock())
        failureTrace = FailureTrace(secrets: secrets, logger: logger, metrics: metrics)
        sampler = LogSampler(logger, clock: clock)
        firebaseMove = FirebaseMove(configuration, tokens: issuers.firebase, logger: logger, sampler: sampler)
        once = OnceLog(logger)
        var streams = configuration.streamLimits
        streams.admission = admission
        let quota = StreamQuota(streams)
        self.quota = quota
        let onFailure: @Sendable (any Error) -> Void = { error in
            logger("listening.failed", ("reason", .string("\(error)")))
        }
        changes = Changes(database: database, flows: flows, quota: quota, pace: pace, onFailure: onFailure)
        ticketWaits = TicketWaits(database: database, quota: quota, round: pace.round)
        mailCeiling = MailCeiling(limit: configuration.mailsPerMinute, meter: installation.mails)
        storageReserve = StorageReserve(database, mark: configuration.storageLowMark, logger: logger)
        readiness = Readiness(database, every: probeInterval, logger: logger)
    }

    /// The configuration, which a reload may replace between two readings.
    package var configuration: Configuration {
        _read { yield currentConfiguration.value }
    }

    var pages: Pages {
        _read { yield currentPages.value }
    }

    var allowedOrigins: AllowedOrigins {
        _read { yield currentOrigins.value }
    }

    /// Uses another configuration and other pages from now on; what was counted against limits stays.
    func use(_ configuration: Configuration, _ templates: PageTemplates) {
        flows.use(configuration.policy)
        currentConfiguration.replace(configuration)
        currentPages.replace(Pages(configuration, templates, clock: clock))
        currentOrigins.replace(AllowedOrigins(configuration))
        webOrigins.use(configuration)
        if let firebase = configuration.firebase { issuers.firebase?.use(firebase) }
        limiters.use(configuration.clientLimits)
        admission.use(configuration.networkLists)
        mailCeiling.use(limit: configuration.mailsPerMinute)
        storageReserve.use(mark: configuration.storageLowMark)
        quota.limit(perClient: configuration.clientLimits.streams)
    }

    /// Scheme, host and port with which links start: the configured ones, or without a configured URL those of the
    /// listener.
    ///
    /// The URL never depends on a request (invariant 6).
    package var publicURL: String { configuration.publicURL ?? listenerURL.withLock { $0 } }

    /// Sets the URL of the listener, which is known only after it has started.
    func setListenerURL(_ url: String) {
        listenerURL.withLock { $0 = url }
    }

    /// What a user could do as an administrator when this node last read the list, a few seconds ago.
    func lastRole(of uid: String) -> AdministratorRole? { administrators.withLock { $0[uid] } }

    /// Replaces the list of administrators that this node knows.
    func record(_ list: AdministratorList) {
        administrators.withLock { $0 = list }
    }

    /// Logs an event of a user.
    ///
    /// `is_anon` lets operators tell guests apart.
    func log(_ event: String, uid: String?, isAnonymous: Bool, outcome: String = "done") {
        metrics.countUser(event, isAnonymous: isAnonymous)
        logger(
            event,
            ("uid", uid.map { .string($0) } ?? .null),
            ("is_anon", .bool(isAnonymous)),
            ("outcome", .string(outcome))
        )
    }

    /// Logs a sign-in.
    func log(_ event: String, _ signedIn: SignedIn) {
        for kind in DayCounts.Kind.of(event, signedIn) { metrics.day.count(kind, at: SystemClock.now()) }
        log(event, uid: signedIn.user.uid, isAnonymous: signedIn.user.isAnonymous)
    }
}
