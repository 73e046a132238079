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
        while !Task.isCancelled {
            do {
                try await refreshKeys()
                // Every twelfth round, a minute, but not in the first.
                if round % 12 == 1 { try await purge() }
            } catch {
                services.logger("housekeeping.failed", ("reason", .string("\(error)")))
            }
            round += 1
            try? await Task.sleep(for: interval)
        }
    }

    /// Takes the keys of this moment: others may have rotated them, and time makes a new one sign.
    private func refreshKeys() async throws {
        let keySet = try await services.database.read { [signingKeys] transaction in
            try signingKeys.keySet(in: transaction)
        }
        services.idTokens.use(keySet)
    }

    /// Deletes in short batches, so that nobody waits long behind one.
    private func purge() async throws {
        let sessionLife = services.flows.policy.sessionLife
        let batch: Int64 = 200
        while !Task.isCancelled {
            let count = try await services.database.write { transaction in
                try transaction.purge(limit: batch, sessionLife: sessionLife)
            }
            guard count >= batch else { return }
        }
    }
}
