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

    /// Goes on until its task is cancelled.
    func run() async {
        var round = 0
        var lastSession: Int64?
        while !Task.isCancelled {
            do {
                try await refreshKeys()
                try await cancelAbandonedMerges()
                // Every twelfth round, a minute, but not in the first.
                if round % 12 == 1 {
                    try await purge()
                    lastSession = try await purgeSessions(after: lastSession)
                }
            } catch {
                services.logger("housekeeping.failed", ("reason", .string("\(error)")))
            }
            round += 1
            try? await Task.sleep(for: interval)
        }
    }

    /// Takes the keys of this moment: others may have rotated them, and time makes a new one sign.
    private func refreshKeys() async throws {
        let (keySet, administrators) = try await services.database.read(mayLag: true) { [signingKeys] transaction in
            (try signingKeys.keySet(in: transaction), try transaction.administrators())
        }
        services.idTokens.use(keySet)
        services.note(administrators: administrators)
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

    /// Deletes in short batches, so that nobody waits long behind one.
    private func purge() async throws {
        let auditLife = services.configuration.auditLife
        let batch: Int64 = 200
        while !Task.isCancelled {
            let count = try await services.database.write { transaction in
                try transaction.purge(limit: batch, auditLife: auditLife)
                    + transaction.purgeHookMessages(limit: batch)
            }
            guard count >= batch else { return }
        }
    }

    /// Goes through some more of the sessions, and tells how far it came; `nil` when it was through.
    private func purgeSessions(after last: Int64?) async throws -> Int64? {
        let sessionLife = services.flows.policy.sessionLife
        var last = last
        for _ in 0..<20 where !Task.isCancelled {
            let start = last ?? 0
            last = try await services.database.write { transaction in
                try transaction.purgeSessions(after: start, rows: 1000, sessionLife: sessionLife)
            }
            if last == nil { break }
        }
        return last
    }
}
