extension AccountFlows {
    /// Removes a batch of guests whose time is over, and schedules a batch of those that are yet to be.
    ///
    /// Whoever is not removed gets a later time, so that a sweep comes to its end. Only guests go, whatever else happens: the
    /// store's statement asks for that itself.
    ///
    /// - Throws: the store's error where a row or trigger of the operator's keeps a guest of the batch in a way that was not
    ///   seen beforehand. Take a smaller batch then, and ``postponeBlockedGuest(_:in:)`` where one guest alone is too many.
    package func sweep(_ order: SweepOrder, in store: some AccountStore) throws -> SweepBatch {
        var batch = SweepBatch()
        guard try store.takeCleanupLease(order.worker, for: SweepOrder.lease) else {
            batch.isElsewhere = true
            return batch
        }
        let setting = try cleanupSetting(in: store)
        batch.scheduled = try schedulePending(limit: order.guests, in: store)
        let due = try store.dueGuests(limit: order.guests)
        var leaving: [DueGuest] = [], busy: [Int64] = [], used: [Int64] = [], blocked: [Int64] = []
        var documents: Int64 = 0
        for guest in due {
            if guest.isBusy {
                busy.append(guest.number)
            } else if setting.since == .lastUse, guest.lastUsedAt + setting.life > store.now {
                used.append(guest.number)
            } else if let table = guest.blockedBy {
                blocked.append(guest.number)
                batch.blocked[table, default: 0] += 1
            } else {
                documents += guest.documents
                if documents > order.documents, !leaving.isEmpty { break }
                leaving.append(guest)
            }
        }
        try store.postponeCleanup(of: busy, to: store.now + SweepOrder.busyDelay)
        try store.postponeCleanup(of: blocked, to: store.now + SweepOrder.blockedDelay)
        try store.postponeCleanup(of: used, toLastUsePlus: setting.life)
        batch.postponed = busy.count + used.count
        batch.removed = try store.deleteGuests(leaving)
        for uid in batch.removed { try noteDeletion(of: uid, because: .cleanUp, in: store) }
        let handled = busy.count + used.count + blocked.count + leaving.count
        batch.hasMore = handled < due.count || due.count == order.guests || batch.scheduled > 0
        return batch
    }

    /// Gives the first due guest another time, because deleting it fails.
    package func postponeBlockedGuest(_ order: SweepOrder, in store: some AccountStore) throws -> SweepBatch {
        var batch = SweepBatch()
        guard try store.takeCleanupLease(order.worker, for: SweepOrder.lease) else {
            batch.isElsewhere = true
            return batch
        }
        let due = try store.dueGuests(limit: 1)
        try store.postponeCleanup(of: due.map(\.number), to: store.now + SweepOrder.blockedDelay)
        // Below a table that goes with the user, or a trigger: who it is cannot be told from here for sure.
        let tables = try store.tablesBlockingFromAfar()
        if !due.isEmpty { batch.blocked[tables.isEmpty ? "a trigger" : tables.joined(separator: " or ")] = 1 }
        batch.hasMore = true
        return batch
    }

    /// Lets the next sweeper in.
    package func endSweep(_ order: SweepOrder, in store: some AccountStore) throws {
        try store.endCleanupLease(order.worker)
    }

    /// Schedules a batch of the guests that were there when the switch was turned on.
    private func schedulePending(limit: Int, in store: some AccountStore) throws -> Int {
        let pending = try pendingSchedules(in: store)
        guard let first = pending.first else { return 0 }
        let scheduled = try store.scheduleGuests(createdBy: first.createdBy, for: first.dueAt, limit: limit)
        if scheduled < limit { try setPending(Array(pending.dropFirst()), in: store) }
        return scheduled
    }
}
