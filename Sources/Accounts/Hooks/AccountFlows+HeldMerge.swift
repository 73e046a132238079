internal import JSON

/// A merge that may happen, but for the hooks that have to be asked first.
///
/// Thrown by the merge, so that its transaction is rolled back; whoever catches it holds the guest, asks, and runs the same
/// transaction again with the same identifiers.
package struct MergeAwaitsHooks: Error, Sendable, Equatable {
    package let id: String
    /// The guest.
    package let guest: String
    package let target: String
}

extension AccountFlows {
    /// Sees to it that the hooks have agreed before a merge happens, to this guest and this user.
    ///
    /// - Throws: ``MergeAwaitsHooks`` where they are still to be asked, or ``Refusal`` MERGE_REFUSED where they were asked about
    ///   somebody else: an address may have passed to another account meanwhile.
    func requireConsent(
        to id: String,
        of guest: User,
        into target: User,
        in store: some AccountStore
    ) throws {
        if guest.mergeID == id {
            guard try store.merge(id)?.targetUID == target.uid else {
                throw Refusal(.mergeRefused, detail: "The address belongs to another account by now; try again.")
            }
        } else if policy.hooks.contains(where: { $0.events.contains(.mergePrepare) }) {
            throw MergeAwaitsHooks(id: id, guest: guest.uid, target: target.uid)
        }
    }

    /// Holds a guest while the hooks are asked, and writes down who will be.
    ///
    /// From here on every hook that is named in the answer hears one outcome, whatever happens to this process.
    ///
    /// - Parameters:
    ///   - merge: what the merge asked for, in this transaction.
    ///   - lease: how long the asking may take, in milliseconds; then anybody may cancel the merge.
    ///   - store: the transaction.
    /// - Returns: the questions, one for each hook.
    /// - Throws: ``Refusal`` USER_NOT_FOUND, or as ``checkMerge(of:into:by:)`` does.
    package func hold(
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
            try store.noteQuestion(question)
            return question
        }
    }

    /// Gives a held guest back, where the merge has not happened, and tells everyone who was asked.
    ///
    /// - Returns: whether there was such a merge to cancel.
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

    /// Cancels the merges whose lease is over: whoever asked the hooks is gone.
    ///
    /// - Returns: the merges.
    package func cancelAbandonedMerges(limit: Int, in store: some AccountStore) throws -> [String] {
        try store.abandonedMerges(limit: limit).filter { id in
            try cancelMerge(id, reason: "the server stopped while it asked", in: store)
        }
    }

    /// Queues the outcome for everyone who was asked.
    ///
    /// Its id is that of the merge and the hook alone, so that the store holds no second one, of either kind.
    func tellOutcome(
        _ outcome: HookEvent,
        of merge: MergeAwaitsHooks,
        reason: String?,
        in store: some AccountStore
    ) throws {
        for hook in try store.settleQuestions(of: merge.id) {
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
