internal import Accounts
internal import Database
internal import JSON
internal import Tokens

/// What has to be done again and again: notice changed keys, forget what nobody needs any more.
struct Housekeeping: Sendable {
    let services: Services
    let signingKeys: SigningKeys
    /// How long to wait between two rounds.
    let interval: Duration
    /// Tells this node from others.
    let worker: String

    /// How long to wait between two looks at the keys: others see a new one in less than five seconds.
    static func keyInterval(_ interval: Duration) -> Duration { min(interval, .seconds(3)) }

    /// Goes on until its task is cancelled.
    func run() async {
        var round = 0
        while !Task.isCancelled {
            do {
                try await cancelAbandonedMerges()
                // Every twelfth round, a minute, but not in the first.
                if round % 12 == 1 { try await purge() }
            } catch {
                services.logger("housekeeping.failed", ("reason", .string("\(error)")))
            }
            round += 1
            try? await Task.sleep(for: interval)
        }
    }

    /// Takes the keys of each moment until its task is cancelled: others may have rotated them, and time makes a new one sign.
    ///
    /// Apart from the rest, which may take its time.
    func watchKeys() async {
        while !Task.isCancelled {
            do {
                let (keySet, administrators) = try await services.database.read(mayLag: true) { transaction in
                    (try signingKeys.keySet(in: transaction), try transaction.administrators())
                }
                services.idTokens.use(keySet)
                services.note(administrators: administrators)
            } catch {
                services.logger("keys.not-refreshed", ("reason", .string("\(error)")))
            }
            try? await Task.sleep(for: Self.keyInterval(interval))
        }
    }

    /// Gives guests back whose merge nobody sees to any more: the server that asked the hooks was killed.
    private func cancelAbandonedMerges() async throws {
        guard try await !services.database.read({ try $0.abandonedMerges(limit: 1) }).isEmpty else { return }
        let cancelled = try await services.database.write { [flows = services.flows] transaction in
            try flows.cancelAbandonedMerges(limit: 100, in: transaction)
        }
        for merge in cancelled { services.logger("merge.abandoned", ("merge", .string(merge))) }
        services.hooksQueued()
    }

    /// Forgets what nobody needs any more, about once a minute on all nodes together.
    ///
    /// One node has the lease, which it renews with each batch. It keeps it until the next round, unless it dies before.
    private func purge() async throws {
        guard try await services.database.read({ [worker] in try $0.isLeaseFree(.purge, for: worker) }),
            try await purgeRows(), try await purgeSessions()
        else { return }
        let pause = Int64(interval * 12 / .milliseconds(1))
        try await services.database.write { [worker] in _ = try $0.takeLease(.purge, worker: worker, for: pause) }
    }

    /// Deletes in short batches, so that nobody waits long behind one.
    ///
    /// - Returns: whether it is done; not where another node took over.
    private func purgeRows() async throws -> Bool {
        let auditLife = services.configuration.auditLife, mailDelay = services.flows.policy.longestMailDelay
        let batch: Int64 = 200
        while !Task.isCancelled {
            let count: Int? = try await services.database.write { [worker] transaction in
                guard try transaction.takeLease(.purge, worker: worker, for: SharedWork.lease) else { return nil }
                return try transaction.purge(limit: batch, auditLife: auditLife, mailDelay: mailDelay)
                    + transaction.purgeHookMessages(limit: batch)
            }
            guard let count else { return false }
            if count < batch { return true }
        }
        return false
    }

    /// Goes through some more of the sessions, from where the last round ended on whichever node.
    ///
    /// - Returns: whether it is done for now; not where another node took over.
    private func purgeSessions() async throws -> Bool {
        let sessionLife = services.flows.policy.sessionLife
        for _ in 0..<20 where !Task.isCancelled {
            let position: Int64? = try await services.database.write { [worker] transaction in
                guard try transaction.takeLease(.purge, worker: worker, for: SharedWork.lease) else { return nil }
                let start = try transaction.position(of: .purge)
                let last = try transaction.purgeSessions(after: start, rows: 1000, sessionLife: sessionLife) ?? 0
                try transaction.notePosition(last, of: .purge, worker: worker)
                return last
            }
            guard let position else { return false }
            if position == 0 { break }
        }
        return !Task.isCancelled
    }
}
