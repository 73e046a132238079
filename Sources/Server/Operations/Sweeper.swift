internal import Accounts
internal import Database
internal import JSON

/// Removes the guests whose time is over, in short transactions that give way to others.
///
/// Any number of nodes may have one: one of them has the lease, which is renewed with each batch and runs out when its holder is
/// killed, and then another goes on. Each batch is one transaction, so a kill loses nothing either.
struct Sweeper: Sendable {
    /// What a batch waits for the writer's thread where nobody else has work for it.
    private static let unnoticed = Duration.microseconds(300)
    private static let longestPause = Duration.milliseconds(50)

    let database: any Database
    let flows: AccountFlows
    /// Tells this sweeper from others.
    let worker: String

    /// What a sweep did.
    struct Totals: Sendable, Equatable {
        var removed = 0
        var batches = SweepBatch()
    }

    /// Sweeps now and then until its task is cancelled.
    func run(every interval: Duration, _ services: Services) async {
        while !Task.isCancelled {
            do {
                if try await database.read({ try $0.needsSweep() && $0.isLeaseFree(.cleanUp, for: worker) }) {
                    let totals = try await sweep { uids in
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

    /// Removes and schedules what waits, until nothing does or its task is cancelled.
    ///
    /// - Parameter removed: told of the UIDs of each batch, after its commit: the one place where a guest that clean-up has
    ///   removed passes.
    /// - Returns: what it did; `nil` where another sweeper has the lease.
    /// - Throws: what keeps the database from working.
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
            // Others are at work, or the batch would have begun at once: they get as long as it took.
            if begun - asked > Self.unnoticed { try? await Task.sleep(for: min(took, Self.longestPause)) }
        }
        try await database.write { [flows, order] in try flows.endSweep(order, in: $0) }
        return totals
    }

    /// Does a batch.
    ///
    /// - Returns: what it did, and when it began; `nil` where one of its guests cannot be deleted, or all together not in the time
    ///   of a statement, so that a smaller one has to find out which.
    private func batch(_ order: inout SweepOrder) async throws -> (SweepBatch, ContinuousClock.Instant)? {
        do {
            // Alone, since it runs the cascades and triggers of tables that are not ours.
            return try await database.write(alone: true) { [flows, order] transaction in
                let begun = ContinuousClock.now
                return (try flows.sweep(order, in: transaction), begun)
            }
        } catch let error as DatabaseError {
            let cause: String
            switch error.kind {
            // Tables were looked at beforehand; what is left are triggers on our own, which cannot be tried out.
            case .constraint: cause = "a trigger"
            case .timeout: cause = "more rows than go in the time of a statement"
            default: throw error
            }
            if order.guests > 1 {
                order.guests /= 2
                return nil
            }
            return try await database.write(alone: true) { [flows, order] transaction in
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
