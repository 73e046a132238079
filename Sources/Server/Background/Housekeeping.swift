internal import AccountDatabase
internal import Accounts
internal import Database
internal import JSON
internal import Tokens

/// The recurring work of a node: ending abandoned merges, deleting expired rows, and refreshing the signing keys and
/// administrators.
struct Housekeeping: Sendable {
    let services: Services
    let signingKeys: SigningKeys
    /// The time between two rounds of ``run()``, and at most between two refreshes of the keys.
    let interval: Duration
    /// The random name of this node as the owner of leases.
    let worker: String

    /// Returns the time between two refreshes of the keys: the interval, at most three seconds, because other nodes
    /// must know a new key within five seconds.
    static func keyInterval(_ interval: Duration) -> Duration { min(interval, .seconds(3)) }

    /// Ends abandoned merges in each round, and deletes expired rows in every twelfth, until its task is cancelled.
    func run() async {
        var round = 0
        while !Task.isCancelled {
            do {
                try await cancelAbandonedMerges()
                // Purges in every twelfth round, about once a minute, but not in the first.
                if round % 12 == 1 { try await purge() }
            } catch {
                services.logger("housekeeping.failed", ("reason", .string("\(error)")))
            }
            round += 1
            try? await Task.sleep(for: interval)
        }
    }

    /// Refreshes the signing keys and the administrators, and forgets networks whose limits were lifted, until its task
    /// is cancelled.
    ///
    /// Another node may have rotated the keys, and a new key starts to sign at a set time. This runs apart from the
    /// other work, which may take long.
    func watchKeys() async {
        while !Task.isCancelled {
            do {
                let known = services.idTokens.keySet
                let (keySet, administrators, lifted) = try await services.database.read(kind: "ReadKeys", mayLag: true)
                { transaction in
                    (
                        try signingKeys.keySet(in: transaction, known: known), try transaction.administratorList(),
                        try LiftedNetworks.entries(in: transaction)
                    )
                }
                services.liftedNetworks.apply(lifted, to: services.limiters)
                services.idTokens.use(keySet)
                services.record(administrators)
            } catch {
                services.logger("keys.not-refreshed", ("reason", .string("\(error)")))
            }
            try? await Task.sleep(for: Self.keyInterval(interval))
        }
    }

    /// Cancels at most 100 suspended merges whose lease expired, such as those of a server that was killed while it
    /// asked the hooks.
    ///
    /// The guests of these merges can be used again.
    private func cancelAbandonedMerges() async throws {
        guard try await !services.database.read(kind: "LookForMerges", { try $0.abandonedMerges(limit: 1) }).isEmpty
        else { return }
        let cancelled = try await services.database.write(kind: "CancelMerges") {
            [flows = services.flows] transaction in
            try flows.cancelAbandonedMerges(limit: 100, in: transaction)
        }
        for merge in cancelled {
            services.metrics.count(.cancelled)
            services.logger("merge.abandoned", ("merge", .string(merge)))
        }
        services.wake.hookWorkers()
    }

    /// Deletes expired rows, about once a minute on all nodes together.
    ///
    /// The node that owns the lease does the work, and renews the lease with each batch. Afterwards it keeps the lease
    /// until the next round, unless it dies before.
    private func purge() async throws {
        guard
            try await services.database.read(
                kind: "LookForPurge",
                { [worker] in try $0.isLeaseFree(.purge, for: worker) }
            ),
            try await purgeRows(), try await purgeSessions()
        else { return }
        let pause = Int64(interval * 12 / .milliseconds(1))
        try await services.database.write(kind: "TakePurge") { [worker] in
            _ = try $0.takeLease(.purge, worker: worker, for: pause)
        }
    }

    /// Deletes expired rows of all tables but the sessions, in short batches, so that other transactions do not wait
    /// long.
    ///
    /// - Returns: whether the work is complete; false if another node took over, or the task was cancelled.
    private func purgeRows() async throws -> Bool {
        let auditLife = services.configuration.auditLife, traceLife = services.configuration.traceLife
        let mailDelay = services.flows.policy.longestMailDelay
        let batch: Int64 = 200
        while !Task.isCancelled {
            let count: Int? = try await services.database.write(kind: "Purge") { [worker] transaction in
                guard try transaction.takeLease(.purge, worker: worker, for: SharedWork.lease) else { return nil }
                return try transaction.purge(limit: batch, auditLife: auditLife, mailDelay: mailDelay)
                    + transaction.purgeHookMessages(limit: batch)
                    + transaction.purgeTraces(limit: batch, life: traceLife)
            }
            guard let count else { return false }
            if count < batch { return true }
        }
        return false
    }

    /// Deletes unused sessions among the next 20,000 at most, from where the last round ended on any node.
    ///
    /// - Returns: whether the work is complete for now; false if another node took over, or the task was cancelled.
    private func purgeSessions() async throws -> Bool {
        let sessionLife = services.flows.policy.sessionLife
        for _ in 0..<20 where !Task.isCancelled {
            let position: Int64? = try await services.database.write(kind: "PurgeSessions") { [worker] transaction in
                guard try transaction.takeLease(.purge, worker: worker, for: SharedWork.lease) else { return nil }
                let start = try transaction.position(of: .purge)
                let last = try transaction.purgeSessions(after: start, rows: 1000, sessionLife: sessionLife) ?? 0
                try transaction.recordPosition(last, of: .purge, worker: worker)
                return last
            }
            guard let position else { return false }
            if position == 0 { break }
        }
        return !Task.isCancelled
    }
}
