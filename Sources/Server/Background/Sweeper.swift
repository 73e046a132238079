internal import AccountDatabase
internal import Accounts
internal import Database
internal import JSON

/// Gives guests a due time for clean-up, and deletes those that are due, in short transactions that yield to other
/// work.
///
/// Every node has a sweeper. One of them owns the lease, which it renews with each batch. If that node is killed, its
/// lease expires, and another sweeper continues. Each batch is one transaction, so a kill loses nothing.
struct Sweeper: Sendable {
    /// The longest time that a batch waits to begin when the database has no other work.
    private static let unnoticed = Duration.microseconds(300)
    /// The longest pause between two batches while other work is running.
    private static let longestPause = Duration.milliseconds(50)

    let database: any Database
    let flows: AccountFlows
    /// The random name of this node as the owner of leases.
    let worker: String

    /// The result of a sweep.
    struct Totals: Sendable, Equatable {
        /// The number of deleted guests.
        var removed = 0
        /// The numbers of scheduled, postponed and blocked guests, of all batches together.
        var batches = SweepBatch()
    }

    /// Sweeps at intervals until its task is cancelled, and logs deleted guests, totals and errors.
    func run(every interval: Duration, _ services: Services) async {
        while !Task.isCancelled {
            do {
                if try await database.read(
                    kind: "LookForGuests",
                    { try $0.needsSweep() && $0.isLeaseFree(.cleanUp, for: worker) }
                ) {
                    let totals = try await sweep { uids in
                        services.metrics.countSwept(guests: uids.count)
                        for uid in uids { services.log("user.deleted", uid: uid, isAnonymous: true) }
                    }
                    if let totals { log(totals, to: services.logger) }
                }
            } catch {
                services.logger("cleanup.failed", ("reason", .string("\(error)")))
            }
            try? await Task.sleep(for: interval)
        }
    }

    /// Deletes and schedules guests until none is due or its task is cancelled.
    ///
    /// - Parameter removed: receives the UIDs of the guests that a batch deleted, after the commit of each batch.
    /// - Returns: the result; `nil` if another sweeper owns the lease, even if it took over during the sweep.
    /// - Throws: the database's error. Violated constraints and timeouts only make batches smaller or postpone a guest.
    func sweep(_ removed: @Sendable ([String]) -> Void) async throws -> Totals? {
        var totals = Totals()
        var order = SweepOrder(worker: worker)
        let most = order.guests
        while !Task.isCancelled {
            let asked = ContinuousClock.now
            guard let (batch, begun) = try await self.batch(&order) else { continue }
            let took = ContinuousClock.now - begun
            if batch.isElsewhere { return nil }
            order.guests = min(most, order.guests * 2)
            totals.removed += batch.removed.count
            totals.batches.add(batch)
            removed(batch.removed)
            guard batch.hasMore else { break }
            // The batch had to wait, so other work is running. That work gets as much time as the batch took.
            if begun - asked > Self.unnoticed { try? await Task.sleep(for: min(took, Self.longestPause)) }
        }
        try await database.write(kind: "EndSweep") { [flows, order] in try flows.endSweep(order, in: $0) }
        return totals
    }

    /// Deletes and schedules one batch of guests in one transaction.
    ///
    /// If a guest cannot be deleted, or all together not within a statement's time limit, the next batch is half as
    /// large, to find out which guest is the cause. A single guest that cannot be deleted is postponed.
    ///
    /// - Returns: the result and when the transaction began; `nil` if the batch must be tried again with fewer guests.
    /// - Throws: the database's error, unless it is a violated constraint or a timeout.
    private func batch(_ order: inout SweepOrder) async throws -> (SweepBatch, ContinuousClock.Instant)? {
        do {
            // Alone, because it runs cascades and triggers of the operator's tables.
            return try await database.write(kind: "Sweep", alone: true) { [flows, order] transaction in
                let begun = ContinuousClock.now
                return (try flows.sweep(order, in: transaction), begun)
            }
        } catch let error as DatabaseError {
            let cause: String
            switch error.kind {
            // Tables were checked beforehand. What remains are triggers on Latchkey's tables, which cannot be tried
            // out.
            case .constraint: cause = "a trigger"
            case .timeout: cause = "more rows than go in the time of a statement"
            default: throw error
            }
            if order.guests > 1 {
                order.guests /= 2
                return nil
            }
            return try await database.write(kind: "PostponeGuest", alone: true) { [flows, order] transaction in
                (try flows.postponeBlockedGuest(order, because: cause, in: transaction), ContinuousClock.now)
            }
        }
    }

    private func log(_ totals: Totals, to logger: Log) {
        let batches = totals.batches
        logger(
            "cleanup.done",
            ("removed", .number(JSONNumber(Int64(totals.removed)))),
            ("scheduled", .number(JSONNumber(Int64(batches.scheduled)))),
            ("postponed", .number(JSONNumber(Int64(batches.postponed)))),
            ("blocked", .number(JSONNumber(Int64(batches.blocked.values.reduce(0, +))))),
            ("tables", .array(batches.blocked.keys.sorted().map { .string($0) }))
        )
    }
}
