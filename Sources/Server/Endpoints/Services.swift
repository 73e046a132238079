package import Accounts
package import Database
internal import HTTPServer
internal import JSON
internal import Synchronization
package import Tokens

/// What the endpoints work with.
///
/// Made once, at the start.
package final class Services: Sendable {
    package let configuration: Configuration
    package let database: any Database
    package let flows: AccountFlows
    package let secrets: ServerSecrets
    package let idTokens: IDTokens
    let pages: Pages
    /// Milliseconds since 1970, the database's: for limits, and for the expiry of tokens.
    let clock: @Sendable () -> Int64
    let logger: Log
    /// Tells the mail workers that a mail waits.
    let mailQueued: @Sendable () -> Void
    /// Tells the lanes of the hooks that a message waits.
    let hooksQueued: @Sendable () -> Void
    let mergeQuestions: MergeQuestions
    let customTokens: CustomTokens
    let firebaseTokens: FirebaseTokens?
    let providerTokens: ProviderTokens
    let allowedOrigins: AllowedOrigins
    let guestLimiter: ClientLimiter
    let linkLimiter: ClientLimiter
    let failureLimiter: ClientLimiter
    /// Counts failures for the log.
    let failureTrace: FailureTrace
    /// Of wrong bearers; apart from what clients get wrong, who may share a back end's address.
    let bearerLimiter: ClientLimiter
    /// Tells listening clients what changes.
    package let changes: Changes
    let usernameLimiter: ClientLimiter
    /// Of dry runs of merges, which cost as much as a merge and leave the guest to be run again.
    let dryRunLimiter: ClientLimiter
    /// Bytes that guests write.
    let guestVolume: NetworkVolume
    let storageReserve: StorageReserve
    let readiness: Readiness
    /// What all nodes together count by the minute.
    let installation = InstallationMeters()
    let mailCeiling: MailCeiling
    /// What this node remembers of paused sign-in codes.
    let codeBreakers: CodeBreakers
    /// Remembers which clients addresses sign in from, and limits the sessions of users.
    let signIns: SignInRecorder
    /// The zero bits of the easiest challenge.
    let challengeDifficulty: Int
    /// Empties the development mailbox.
    let forgetMails: @Sendable () -> Void
    /// Who the administrators were a moment ago.
    private let administrators = Mutex<Set<String>>([])
    private let listenerURL = Mutex("")

    /// Puts the parts together.
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
        challengeDifficulty: Int = Services.leastChallengeDifficulty,
        mailQueued: @escaping @Sendable () -> Void,
        hooksQueued: @escaping @Sendable () -> Void,
        forgetMails: @escaping @Sendable () -> Void = {}
    ) {
        self.configuration = configuration
        self.database = database
        flows = AccountFlows(policy: configuration.policy, secrets: secrets)
        signIns = SignInRecorder(database, flows: flows, logger: logger)
        self.secrets = secrets
        self.idTokens = idTokens
        pages = Pages(
            templates: pageTemplates,
            appName: configuration.appName,
            signInLinkMinutes: configuration.policy.signInLinkMinutes
        )
        self.clock = clock
        self.logger = logger
        codeBreakers = CodeBreakers(logger: logger)
        self.mailQueued = mailQueued
        self.hooksQueued = hooksQueued
        self.challengeDifficulty = challengeDifficulty
        self.forgetMails = forgetMails
        mergeQuestions = MergeQuestions(configuration, clock: clock)
        customTokens = CustomTokens(configuration)
        firebaseTokens = configuration.firebase.map {
            FirebaseTokens($0, configuration, clock: clock, logger: logger)
        }
        providerTokens = ProviderTokens(configuration, clock: clock, logger: logger)
        allowedOrigins = AllowedOrigins(configuration)
        let limits = configuration.clientLimits
        let proxies = configuration.trustedRanges
        func limiter(_ name: String, _ limit: Int) -> ClientLimiter {
            ClientLimiter("limits.\(name)", limit: limit, shares: limits.networks, exempt: proxies)
        }
        guestLimiter = limiter("guestsPerClient", limits.guests)
        linkLimiter = limiter("linksPerClient", limits.links)
        failureLimiter = limiter("failuresPerClient", limits.failures)
        failureTrace = FailureTrace(secrets: secrets, logger: logger)
        bearerLimiter = limiter("failuresPerClient", limits.failures)
        usernameLimiter = limiter("usernamesPerClient", limits.usernames)
        dryRunLimiter = limiter("guestsPerClient", limits.guests)
        changes = Changes(
            database: database,
            flows: flows,
            limits: configuration.streamLimits,
            pace: pace,
            onFailure: { error in logger("listening.failed", ("reason", .string("\(error)"))) }
        )
        mailCeiling = MailCeiling(limit: configuration.mailsPerMinute, meter: installation.mails)
        guestVolume = NetworkVolume(limit: limits.guestBytesPerNetwork, exempt: proxies)
        storageReserve = StorageReserve(database, mark: configuration.storageLowMark, logger: logger)
        readiness = Readiness(database, every: probeInterval, logger: logger)
    }

    /// Everything that this node counts by itself.
    var limiters: [ClientLimiter] {
        [guestLimiter, linkLimiter, failureLimiter, bearerLimiter, usernameLimiter, dryRunLimiter]
    }

    /// Scheme, host and port that links start with: the configured one, or the listener's in development.
    ///
    /// Never what a request says (invariant 6).
    package var publicURL: String { configuration.publicURL ?? listenerURL.withLock { $0 } }

    /// Says where the listener turned out to be.
    func setListenerURL(_ url: String) {
        listenerURL.withLock { $0 = url }
    }

    /// Whether a user was an administrator a moment ago.
    func wasAdministrator(_ uid: String) -> Bool { administrators.withLock { $0.contains(uid) } }

    /// Says who the administrators are.
    func note(administrators uids: [String]) {
        administrators.withLock { $0 = Set(uids) }
    }

    /// Logs what happened to a user; `is_anon` lets operators tell guests apart.
    func log(_ event: String, uid: String?, isAnonymous: Bool, outcome: String = "done") {
        logger(
            event,
            ("uid", uid.map { .string($0) } ?? .null),
            ("is_anon", .bool(isAnonymous)),
            ("outcome", .string(outcome))
        )
    }

    /// Logs a sign-in.
    func log(_ event: String, _ signedIn: SignedIn) {
        log(event, uid: signedIn.user.uid, isAnonymous: signedIn.user.isAnonymous)
    }
}
