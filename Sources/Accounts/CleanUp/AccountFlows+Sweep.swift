extension AccountFlows {
    /// Removes a batch of guests whose time is over, and schedules a batch of those that are yet to be.
    ///
    /// Whoever is not removed gets a later time, so that a sweep comes to its end. Only guests go, whatever else happens: the
    /// store's statement asks for that itself.
    ///
    /// - Throws: the store's error where a trigger of the operator's keeps a guest of the batch in a way that was not seen
    ///   beforehand, or where the guests have more rows than go in the time of a statement. Take a smaller batch then, and
    ///   ``postponeBlockedGuest(_:because:in:)`` where one guest alone is too many.
    package func sweep(_ order: SweepOrder, in store: some AccountStore) throws -> SweepBatch {
        var batch = SweepBatch()
        guard try store.takeLease(.cleanUp, worker: order.worker, for: SharedWork.lease) else {
            batch.isElsewhere = true
            return batch
        }
        let setting = try cleanupSetting(in: store)
        batch.scheduled = try schedulePending(isOn: setting.isOn, limit: order.guests, in: store)
        let due = try store.dueGuests(limit: order.guests)
        var leaving: [DueGuest] = [], busy: [Int64] = [], used: [Int64] = []
        var documents: Int64 = 0
        for guest in due {
            if guest.isBusy {
                busy.append(guest.number)
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
        try store.postponeCleanup(of: used, toLastUsePlus: setting.life)
        batch.postponed = busy.count + used.count
        batch.removed = try store.deleteGuests(leaving.filter { blockers[$0.uid] == nil })
        for uid in batch.removed { try noteDeletion(of: uid, isAnonymous: true, because: .cleanUp, in: store) }
        let handled = busy.count + used.count + leaving.count
        batch.hasMore = handled < due.count || due.count == order.guests || batch.scheduled > 0
        return batch
    }

    /// Gives the first due guest another time, because deleting it fails.
    ///
    /// - Parameters:
    ///   - order: who asks.
    ///   - cause: what keeps the guest, for the log.
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

    /// Lets the next sweeper in.
    package func endSweep(_ order: SweepOrder, in store: some AccountStore) throws {
        try store.endLease(.cleanUp, worker: order.worker)
    }

    /// Schedules a batch of the guests that were there when the switch was turned on.
    ///
    /// Whoever was just being created did not see the switch, and may turn up a little later. While it is on nobody else is
    /// without a time, so these are waited for.
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
