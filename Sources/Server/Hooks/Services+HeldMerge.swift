internal import Accounts
internal import Database
internal import JSON

extension Services {
    /// Makes a merge that waits for the hooks: holds the guest, asks, and runs the call's transaction again or gives the guest
    /// back.
    ///
    /// Whatever becomes of this process after the first commit, everyone who was asked hears one outcome: the merge commits it
    /// with itself, or whoever cancels the merge does.
    ///
    /// - Parameters:
    ///   - merge: what the call's transaction asked for.
    ///   - alone: whether the transaction shares no commit.
    ///   - transact: the call's transaction.
    /// - Returns: what the transaction returned.
    /// - Throws: ``Refusal`` MERGE_REFUSED, MERGE_IN_PROGRESS, or what the transaction throws.
    func settle<Outcome: Sendable>(
        _ merge: MergeAwaitsHooks,
        alone: Bool,
        _ transact: @escaping @Sendable (Transaction) throws -> Outcome
    ) async throws -> Outcome {
        try await mergeQuestions.withRoom {
            // Longer than the asking, with time for the transaction behind it.
            let lease = max(configuration.hookRetry.lease, Int64(MergeQuestions.patience) * 2)
            let questions = try await database.write { [flows] transaction in
                try flows.hold(merge, lease: lease, in: transaction)
            }
            if let reason = await mergeQuestions.refusal(of: questions) {
                await cancel(merge, reason: reason, logging: "a hook refused")
                throw Refusal(.mergeRefused, detail: reason)
            }
            do {
                let outcome = try await database.write(alone: alone) { [flows] transaction in
                    let outcome = try transact(transaction)
                    // Where it came to its end without the merge, because the asking session is over or a guess too many
                    // was made, the guest is given back with it.
                    _ = try flows.cancelMerge(merge.id, reason: "the call went on without it", in: transaction)
                    return outcome
                }
                hooksQueued()
                return outcome
            } catch is MergeAwaitsHooks {
                // The lease was over and somebody has cancelled it, and told everyone.
                throw Refusal(.mergeRefused, detail: "The merge took too long; try again.")
            } catch {
                await cancel(merge, reason: (error as? Refusal)?.code.rawValue ?? "the merge failed")
                throw error
            }
        }
    }

    /// Gives the guest back; where that cannot be written, the end of the lease does.
    ///
    /// - Parameter logged: what the log says in place of the reason, where that is a hook's: its words may hold anything.
    private func cancel(_ merge: MergeAwaitsHooks, reason: String, logging logged: String? = nil) async {
        do {
            let isCancelled = try await database.write { [flows] transaction in
                try flows.cancelMerge(merge.id, reason: reason, in: transaction)
            }
            if isCancelled {
                logger(
                    "user.merged",
                    ("uid", .string(merge.guest)),
                    ("is_anon", true),
                    ("into", .string(merge.target)),
                    ("outcome", "cancelled"),
                    ("reason", .string(logged ?? reason))
                )
            }
            hooksQueued()
        } catch {
            logger("merge.cancelling-failed", ("merge", .string(merge.id)), ("reason", .string("\(type(of: error))")))
        }
    }
}
