internal import JSON

/// A merge that may happen once the hooks have been asked and have agreed.
///
/// ``AccountFlows/merge(_:into:id:isDryRun:in:)`` throws it, so that its transaction is rolled back. The catcher
/// suspends the guest, asks the hooks, and runs the same transaction again with the same identifiers.
package struct MergeAwaitsHooks: Error, Sendable, Equatable {
    package let id: String
    /// The guest's UID.
    package let guest: String
    /// The UID of the permanent user.
    package let target: String
}

extension AccountFlows {
    /// Makes sure that hooks have agreed to a merge of this guest into this user, or that none has to be asked.
    ///
    /// If this merge has already suspended the guest, the hooks have agreed: the caller repeats the merge only then.
    ///
    /// - Throws: ``MergeAwaitsHooks`` if a hook subscribes to ``HookEvent/mergePrepare`` and has yet to be asked, or
    ///   ``Refusal`` MERGE_REFUSED if the hooks were asked about another user, because an address may have moved to
    ///   another account meanwhile.
    func requireConsent(
        to id: String,
        of guest: User,
        into target: User,
        in store: some AccountStore
    ) throws {
        if guest.mergeID == id {
            guard try store.merge(id)?.targetUID == target.uid else {
                throw Refusal(.mergeRefused, detail: "The address now belongs to another account; try again.")
            }
        } else if policy.hooks.contains(where: { $0.events.contains(.mergePrepare) }) {
            throw MergeAwaitsHooks(id: id, guest: guest.uid, target: target.uid)
        }
    }

    /// Suspends a guest while the hooks are asked, and stores which hooks will be asked.
    ///
    /// From here on every hook in the result receives exactly one outcome, whatever happens to this process.
    ///
    /// - Parameters:
    ///   - merge: the merge, as thrown.
    ///   - lease: how long asking may take, in milliseconds; after that any node may cancel the merge.
    ///   - store: the transaction.
    /// - Returns: the questions, one for each hook.
    /// - Throws: ``Refusal`` USER_NOT_FOUND, or as ``checkMerge(of:into:by:)`` does.
    package func suspend(
        _ merge: MergeAwaitsHooks,
        lease: Int64,
        in store: some AccountStore
    ) throws -> [HookMessage] {
        // Both were read in an earlier transaction, which was rolled back.
        guard let guest = try store.user(merge.guest), let target = try store.user(merge.target) else {
            throw Refusal(.userNotFound)
        }
        try checkMerge(of: guest, into: target, by: merge.id)
        try store.prepareMerge(merge.id, of: merge.guest, into: merge.target, lease: lease)
        return try policy.hooks.filter { $0.events.contains(.mergePrepare) }.map { hook in
            let question = try message(.mergePrepare, about: merge, to: hook.hook, reason: nil, at: store.now)
            try store.recordQuestion(question)
            return question
        }
    }

    /// Cancels a merge that hooks are asked about, releases its guest, and queues ``HookEvent/mergeCancel`` for every
    /// hook that was asked.
    ///
    /// - Returns: whether the merge was cancelled; `false` if it was decided before or does not exist.
    package func cancelMerge(_ id: String, reason: String, in store: some AccountStore) throws -> Bool {
        guard let (guest, target) = try store.cancelMerge(id, reason: reason) else { return false }
        try tellOutcome(
            .mergeCancel,
            of: MergeAwaitsHooks(id: id, guest: guest, target: target),
            reason: reason,
            in: store
        )
        return true
    }

    /// Cancels suspended merges whose lease has expired, usually because the node that asked the hooks has stopped.
    ///
    /// - Returns: the ids of the cancelled merges, at most `limit`.
    package func cancelAbandonedMerges(limit: Int, in store: some AccountStore) throws -> [String] {
        let merges = try store.abandonedMerges(limit: limit)
        // All at once, because locks are taken in one order.
        try store.lockUsers(merges.map(\.guest))
        return try merges.map(\.id).filter { id in
            try cancelMerge(id, reason: "the server stopped while it asked", in: store)
        }
    }

    /// Queues the outcome of a merge for every hook that was asked.
    ///
    /// The message's id depends only on the merge and the hook, so that a hook receives one outcome, either a commit or
    /// a cancellation.
    func tellOutcome(
        _ outcome: HookEvent,
        of merge: MergeAwaitsHooks,
        reason: String?,
        in store: some AccountStore
    ) throws {
        for hook in try store.finishQuestions(of: merge.id) {
            try store.queue(try message(outcome, about: merge, to: hook, reason: reason, at: store.now))
        }
    }

    private func message(
        _ event: HookEvent,
        about merge: MergeAwaitsHooks,
        to hook: String,
        reason: String?,
        at now: Int64
    ) throws -> HookMessage {
        let payload = Self.payload(event, at: now) { json in
            json.member("mergeId", merge.id)
            json.member("anonymousUid", merge.guest)
            json.member("uid", merge.target)
            json.member("reason", reason)
        }
        let matter = event == .mergePrepare ? "question" : "outcome"
        let id = try Self.messageID("\(matter) \(merge.id)", for: hook)
        return HookMessage(id: id, event: event, hook: hook, merge: merge.id, payload: payload)
    }
}
