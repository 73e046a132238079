extension AccountFlows {
    /// Deletes a batch of due guests, and schedules a batch of guests that have no due time yet.
    ///
    /// Due guests that may not be deleted yet get a later due time, so that a sweep ends. Permanent users are never
    /// deleted: the store's statement checks this itself. Does nothing while another worker holds the lease of
    /// ``SharedWork/cleanUp``.
    ///
    /// - Throws: the store's error if a trigger of the operator's keeps a guest of the batch in a way that was not
    ///   detected beforehand, or if the guests have more rows than can be deleted within a statement's time limit.
    ///   Retry with a smaller batch, and call ``postponeBlockedGuest(_:because:in:)`` if a single guest is too many.
    package func sweep(_ order: SweepOrder, in store: some AccountStore) throws -> SweepBatch {
        var batch = SweepBatch()
        guard try store.takeLease(.cleanUp, worker: order.worker, for: SharedWork.lease) else {
            batch.isElsewhere = true
            return batch
        }
        let setting = try cleanupSetting(in: store)
        batch.scheduled = try schedulePending(isOn: setting.isOn, limit: order.guests, in: store)
        let due = try store.dueGuests(limit: order.guests)
        // A guest of Firebase's may not have been here yet.
        let sparesMoving = try policy.movesFromFirebase && Self.firebaseState(in: store).phase != .off
        var leaving: [DueGuest] = [], busy: [Int64] = [], used: [Int64] = [], moving: [Int64] = []
        var documents: Int64 = 0
        for guest in due {
            if guest.isBusy {
                busy.append(guest.number)
            } else if sparesMoving, guest.isOfFirebase {
                moving.append(guest.number)
            } else if setting.since == .lastUse, guest.lastUsedAt + setting.life > store.now {
                used.append(guest.number)
            } else {
                documents += guest.documents
                if documents > order.documents, !leaving.isEmpty { break }
                leaving.append(guest)
            }
        }
        let blockers = try store.blockers(of: leaving.map(\.uid))
        for table in blockers.values { batch.blocked[table, default: 0] += 1 }
        let blocked = leaving.filter { blockers[$0.uid] != nil }.map(\.number)
        try store.postponeCleanup(of: busy, to: store.now + SweepOrder.busyDelay)
        try store.postponeCleanup(of: blocked, to: store.now + SweepOrder.blockedDelay)
        try store.postponeCleanup(of: moving, to: store.now + SweepOrder.blockedDelay)
        try store.postponeCleanup(of: used, toLastUsePlus: setting.life)
        batch.postponed = busy.count + used.count + moving.count
        let removable = leaving.filter { blockers[$0.uid] == nil }
        // If another transaction deletes one of the guests meanwhile, the lock makes this one run again without that guest.
        try store.lockUsers(removable.map(\.uid))
        batch.removed = try store.deleteGuests(removable)
        for uid in batch.removed { try recordDeletion(of: uid, isAnonymous: true, because: .cleanUp, in: store) }
        let handled = busy.count + used.count + moving.count + leaving.count
        batch.hasMore = handled < due.count || due.count == order.guests || batch.scheduled > 0
        return batch
    }

    /// Postpones the guest that is due first to a day from now, because deleting it fails; does nothing if no guest is
    /// due, or while another worker holds the lease of ``SharedWork/cleanUp``.
    ///
    /// - Parameters:
    ///   - order: the worker and its limits.
    ///   - cause: what keeps the guest; the key of the guest in ``SweepBatch/blocked``.
    ///   - store: the transaction.
    package func postponeBlockedGuest(
        _ order: SweepOrder,
        because cause: String,
        in store: some AccountStore
    ) throws -> SweepBatch {
        var batch = SweepBatch()
        guard try store.takeLease(.cleanUp, worker: order.worker, for: SharedWork.lease) else {
            batch.isElsewhere = true
            return batch
        }
        let due = try store.dueGuests(limit: 1)
        try store.postponeCleanup(of: due.map(\.number), to: store.now + SweepOrder.blockedDelay)
        if !due.isEmpty { batch.blocked[cause] = 1 }
        batch.hasMore = true
        return batch
    }

    /// Releases the worker's lease of ``SharedWork/cleanUp``, so that another node can sweep.
    package func endSweep(_ order: SweepOrder, in store: some AccountStore) throws {
        try store.endLease(.cleanUp, worker: order.worker)
    }

    /// Gives a due time to a batch of the guests that existed when clean-up was turned on, from the earliest
    /// ``PendingSchedule``, and removes the schedule once no guest is left.
    ///
    /// Returns the number of guests that got one.
    ///
    /// A transaction that was creating a guest at that moment did not see the setting, so the guest may appear a little
    /// later. While clean-up is on, all other guests have a due time, so the schedule waits for these.
    private func schedulePending(isOn: Bool, limit: Int, in store: some AccountStore) throws -> Int {
        let pending = try pendingSchedules(in: store)
        guard let first = pending.first else { return 0 }
        let waits = isOn && pending.count == 1
        let createdBy = first.createdBy + (waits ? SweepOrder.longestCreation : 0)
        let scheduled = try store.scheduleGuests(createdBy: createdBy, for: first.dueAt, limit: limit)
        if scheduled < limit, !waits || store.now > createdBy {
            try setPending(Array(pending.dropFirst()), in: store)
        }
        return scheduled
    }
}
