internal import Synchronization

/// Renews the leases of one worker of a queue while the worker works on the leased rows.
///
/// A lease gives a row to one worker for a time. Because leases are renewed, they can be short, and those of a dead
/// node expire within seconds. A worker starts no new work under a lease that could not be renewed, and the queue
/// rejects an outcome of a row that another worker has taken over.
package final class LeaseKeeper: Sendable {
    /// Asks the queue to renew the leases of rows, given by their numbers, and returns the numbers of those that the
    /// worker still owns.
    ///
    /// An error means that the queue could not be asked.
    package typealias Renewal = @Sendable ([Int64]) async throws -> [Int64]

    private struct Row {
        /// The time until which the worker certainly owns the lease.
        var until: ContinuousClock.Instant
        /// Whether the row's outcome is being sent to the queue.
        var isFinishing = false
    }

    private struct State {
        var rows: [Int64: Row] = [:]
        /// When a call to the queue last failed or was slow (``reach(isShort:_:)``); the keeper's creation if none has.
        var trouble: ContinuousClock.Instant
    }

    /// How long a short call to the queue may take; a longer one counts as slow, because other workers may have had to
    /// wait as long.
    private static let slowness = Duration.seconds(1)

    /// The duration of a lease, in milliseconds.
    package let milliseconds: Int64
    private let renewal: Renewal
    private let onLoss: @Sendable (Int) -> Void
    private let state = Mutex(State(trouble: .now))

    /// Creates a keeper without rows; ``run()`` renews the leases of those that ``own(_:since:)`` adds.
    ///
    /// - Parameters:
    ///   - milliseconds: the duration of a lease.
    ///   - renewal: renews the leases of rows, and returns those that the worker still owns.
    ///   - onLoss: receives the number of rows that a renewal did not return although their outcomes were not being
    ///     sent; usually another worker has taken them over.
    package init(
        milliseconds: Int64,
        renewal: @escaping Renewal,
        onLoss: @escaping @Sendable (Int) -> Void
    ) {
        self.milliseconds = milliseconds
        self.renewal = renewal
        self.onLoss = onLoss
    }

    private var lease: Duration { .milliseconds(milliseconds) }

    /// Whether this worker may take over rows whose leases by other workers have expired.
    ///
    /// False for a third of a lease, at most five seconds, after a failed or slow call to the queue and after the
    /// start. Living workers may not have been able to renew their leases then, so they get the chance to record what
    /// they have done, and it is not done again.
    package var takesOver: Bool {
        let calm = min(lease / 3, .seconds(5))
        return state.withLock { ContinuousClock.now - $0.trouble >= calm }
    }

    /// Runs a call to the queue, and records for ``takesOver`` that the call failed or was slow.
    ///
    /// - Parameter isShort: whether the call does so little that it should be answered within a second; only then does
    ///   a longer time count as slow.
    /// - Throws: what `call` throws.
    package func reach<Answer>(isShort: Bool = true, _ call: () async throws -> Answer) async throws -> Answer {
        let asked = ContinuousClock.now
        do {
            let answer = try await call()
            if isShort, ContinuousClock.now - asked > Self.slowness { recordTrouble() }
            return answer
        } catch {
            recordTrouble()
            throw error
        }
    }

    private func recordTrouble() {
        state.withLock { $0.trouble = .now }
    }

    /// Starts renewing the leases of rows that the worker has just leased.
    ///
    /// - Parameters:
    ///   - rows: the numbers of the rows.
    ///   - asked: when the worker requested the leases; they certainly last for a lease's duration from then.
    package func own(_ rows: [Int64], since asked: ContinuousClock.Instant) {
        state.withLock { state in
            for row in rows { state.rows[row] = Row(until: asked + lease) }
        }
    }

    /// Whether the worker owns the lease of a row, and more than a third of it is left, enough to start work that
    /// cannot be undone.
    package func mayBegin(_ row: Int64) -> Bool {
        state.withLock { state in
            guard let row = state.rows[row] else { return false }
            return row.until - .now > lease / 3
        }
    }

    /// Records that the outcomes of rows are being sent to the queue.
    ///
    /// From then on, their leases are renewed only once less than half of a lease is left, and a lease that cannot be
    /// renewed does not count as lost.
    package func finish(_ rows: [Int64]) {
        state.withLock { state in
            for row in rows { state.rows[row]?.isFinishing = true }
        }
    }

    /// Stops renewing the leases of rows whose outcomes are recorded or given up.
    ///
    /// Only affects rows that were passed to ``finish(_:)`` and that this worker has not leased again since.
    package func drop(_ rows: [Int64]) {
        state.withLock { state in
            for row in rows where state.rows[row]?.isFinishing == true { state.rows[row] = nil }
        }
    }

    /// Renews the leases of the owned rows after every third of a lease, and sooner after a failure, until its task is
    /// cancelled.
    package func run() async {
        let regular = lease / 3, soon = min(lease / 12, .seconds(1))
        var pause = regular
        while !Task.isCancelled {
            try? await Task.sleep(for: pause)
            let rows = rowsToRenew()
            guard !rows.isEmpty, !Task.isCancelled else {
                pause = regular
                continue
            }
            let asked = ContinuousClock.now
            do {
                let kept = try await reach { try await renewal(rows) }
                record(kept: Set(kept), of: rows, since: asked)
                pause = regular
            } catch {
                pause = soon
            }
        }
    }

    /// Returns all rows, except those whose outcomes are being recorded while at least half of the lease is left, so
    /// that renewals and outcomes seldom block each other.
    private func rowsToRenew() -> [Int64] {
        let soon = ContinuousClock.now + lease / 2
        return state.withLock { state in
            state.rows.filter { !$0.value.isFinishing || $0.value.until < soon }.map(\.key)
        }
    }

    private func record(kept: Set<Int64>, of rows: [Int64], since asked: ContinuousClock.Instant) {
        let lost = state.withLock { state in
            var lost = 0
            for number in rows {
                guard let row = state.rows[number] else { continue }
                if kept.contains(number) {
                    state.rows[number]?.until = max(row.until, asked + lease)
                } else if !row.isFinishing {
                    state.rows[number] = nil
                    lost += 1
                }
            }
            return lost
        }
        if lost > 0 { onLoss(lost) }
    }
}
