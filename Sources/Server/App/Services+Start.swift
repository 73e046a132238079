internal import Accounts
internal import Database
internal import Tokens

// What a server does with its services when it starts.
extension Services {
    /// Makes the services of a server around its open database.
    ///
    /// - Parameters:
    ///   - configuration: the configuration, already checked.
    ///   - environment: the clock and other things that tests replace.
    ///   - store: the database with the server's secrets.
    ///   - signingKeys: loads the keys that sign ID tokens.
    ///   - pages: the templates of the pages.
    ///   - wake: wakes the workers.
    ///   - logger: receives all events.
    ///   - forgetMails: empties the development mailbox.
    /// - Throws: an error of the database, or of the keys in it.
    convenience init(
        _ configuration: Configuration,
        _ environment: InstanceEnvironment,
        _ store: Store,
        _ signingKeys: SigningKeys,
        _ pages: PageTemplates,
        wake: WorkerWakeUps,
        logger: Log,
        forgetMails: @escaping @Sendable () -> Void
    ) throws {
        let keySet = try store.database.writeNow(kind: "LoadSigningKeys") { transaction in
            try signingKeys.load(algorithm: configuration.signingAlgorithm, in: transaction)
        }
        self.init(
            configuration: configuration,
            database: store.database,
            secrets: store.secrets,
            idTokens: IDTokens(
                issuer: configuration.tokenIssuer,
                audience: configuration.projectID,
                keys: keySet,
                form: configuration.tokenForm
            ),
            pageTemplates: pages,
            clock: { store.database.now },
            logger: logger,
            pace: environment.listening,
            probeInterval: environment.probeInterval,
            mergePatience: environment.mergePatience,
            challengeDifficulty: environment.challengeDifficulty,
            wake: wake,
            forgetMails: forgetMails
        )
    }

    /// Starts the tasks that a stop cancels as soon as the listeners have stopped, such as housekeeping.
    ///
    /// - Parameters:
    ///   - signingKeys: the keys that sign ID tokens, which housekeeping replaces.
    ///   - environment: how often the tasks work.
    ///   - worker: the name of this process as the holder of leases.
    func startBackground(
        _ signingKeys: SigningKeys,
        _ environment: InstanceEnvironment,
        worker: String
    ) -> [Task<Void, Never>] {
        let housekeeping = Housekeeping(
            services: self,
            signingKeys: signingKeys,
            interval: environment.housekeepingInterval,
            worker: worker
        )
        let sweeper = Sweeper(database: database, flows: flows.acting(as: .server), worker: worker)
        return [
            Task { await housekeeping.run() },
            Task { await housekeeping.watchKeys() },
            Task { await sweeper.run(every: environment.housekeepingInterval * 2, self) },
            Task { await readiness.run() },
            Task { await traces.run(every: environment.traceInterval, clock: clock) },
            Task { await installation.run(database) },
            Task { await codeBreakers.run(clock: clock) },
            Task { await GaugeRefresher(services: self).run() },
        ] + firebaseTasks(environment)
    }

    /// The task that follows the move from Firebase; none without one.
    private func firebaseTasks(_ environment: InstanceEnvironment) -> [Task<Void, Never>] {
        guard let move = firebaseMove else { return [] }
        let follower = FirebaseFollower(services: self, move: move)
        return [Task { await follower.run(every: environment.housekeepingInterval) }]
    }

    /// Passes on the notifications of other nodes: changed users to their streams, changed tickets to the calls that wait
    /// for them, and queued rows to the workers.
    ///
    /// If notifications may have been lost, all streams, calls and workers are woken.
    ///
    /// - Parameters:
    ///   - mails: wakes this node's mail workers.
    ///   - hooks: wakes this node's workers for hook messages.
    func subscribe(waking mails: WakeUp, hooks: WakeUp) throws {
        try database.subscribe { [changes, ticketWaits] news in
            for item in news {
                switch item {
                case .user(let uid): changes.notify(uid)
                case .ticket(let ticket): ticketWaits.notify(ticket)
                case .account(let kind, let uid):
                    // An unknown kind is a newer version's.
                    if let hint = AccountHint(rawValue: kind) { changes.notify(hint, uid) }
                case .mail: mails.call()
                case .hooks: hooks.call()
                case .anything:
                    changes.notifyAll()
                    ticketWaits.notifyAll()
                    mails.call()
                    hooks.call()
                }
            }
        }
    }
}
