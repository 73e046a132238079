internal import Accounts
internal import Database
internal import JSON

extension Services {
    /// Runs a merge that needs the consent of hooks: suspends it, asks the hooks, then runs the call's transaction
    /// again or cancels the merge.
    ///
    /// Even if this process dies after the first commit, all hooks that were asked are told the same outcome: either
    /// the merge's transaction commits it, or the transaction that cancels the merge does.
    ///
    /// - Parameters:
    ///   - merge: the merge that the call's transaction requested.
    ///   - alone: whether the transaction must not share a commit.
    ///   - transact: the call's transaction.
    ///   - committed: called once the transaction is durable, on the database's thread.
    /// - Returns: what the transaction returned.
    /// - Throws: ``Refusal`` MERGE_REFUSED, MERGE_IN_PROGRESS, TOO_MANY_ATTEMPTS_TRY_LATER if too many merges are
    ///   waiting for hooks, or what the transaction throws.
    func resolve<Outcome: Sendable>(
        _ merge: MergeAwaitsHooks,
        alone: Bool,
        _ transact: @escaping @Sendable (Transaction) throws -> Outcome,
        committed: @escaping @Sendable (Outcome) -> Void
    ) async throws -> Outcome {
        try await mergeQuestions.withRoom {
            // Longer than the hooks may take, with time for the transaction after that.
            let lease = max(configuration.hookRetry.lease, Int64(mergeQuestions.patience) * 2)
            let questions = try await database.write(kind: "SuspendMerge") { [flows] transaction in
                try flows.suspend(merge, lease: lease, in: transaction)
            }
            if let reason = await mergeQuestions.refusal(of: questions) {
                await cancel(merge, reason: reason, logging: "a hook refused")
                throw Refusal(.mergeRefused, detail: reason)
            }
            do {
                return try await database.write(kind: "FinishMerge", alone: alone) {
                    [flows] transaction -> (outcome: Outcome, isCancelled: Bool) in
                    let outcome = try transact(transaction)
                    // If the transaction finished without the merge, because the requesting session ended or the last
                    // guess was wrong, the guest is released here.
                    let reason = "the call went on without it"
                    return (outcome, try flows.cancelMerge(merge.id, reason: reason, in: transaction))
                } committed: { [metrics, wake] kept in
                    if kept.isCancelled { metrics.count(.cancelled) }
                    wake.hookWorkers()
                    committed(kept.outcome)
                }.outcome
            } catch is MergeAwaitsHooks {
                // The lease expired, and another node cancelled the merge and queued the outcome for every hook.
                throw Refusal(.mergeRefused, detail: "The merge took too long; try again.")
            } catch {
                // A violated constraint makes it a failed merge, which its call counts.
                let isFailed =
                    if case .constraint? = (error as? DatabaseError)?.kind { true } else { false }
                let reason = (error as? Refusal)?.code.rawValue ?? "the merge failed"
                await cancel(merge, reason: reason, isFailed: isFailed)
                throw error
            }
        }
    }

    /// Cancels a suspended merge, and queues the outcome for every hook.
    ///
    /// If that cannot be committed, the expiry of the lease has the same effect.
    ///
    /// - Parameters:
    ///   - merge: the merge.
    ///   - reason: the reason to store.
    ///   - logged: the text for the log in place of a hook's reason, which may contain anything.
    ///   - isFailed: whether the merge counts as failed rather than as cancelled.
    private func cancel(
        _ merge: MergeAwaitsHooks,
        reason: String,
        logging logged: String? = nil,
        isFailed: Bool = false
    ) async {
        do {
            try await database.write(kind: "CancelMerge") { [flows] transaction in
                try flows.cancelMerge(merge.id, reason: reason, in: transaction)
            } committed: { [logger, metrics, wake] isCancelled in
                if isCancelled {
                    if !isFailed { metrics.count(.cancelled) }
                    logger(
                        "user.merged",
                        ("uid", .string(merge.guest)),
                        ("is_anon", true),
                        ("into", .string(merge.target)),
                        ("outcome", "cancelled"),
                        ("reason", .string(logged ?? reason))
                    )
                }
                wake.hookWorkers()
            }
        } catch {
            logger("merge.cancelling-failed", ("merge", .string(merge.id)), ("reason", .string("\(type(of: error))")))
        }
    }
}
