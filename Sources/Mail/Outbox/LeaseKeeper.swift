internal import Synchronization

/// What a worker has taken from a queue, whose leases are renewed for as long as it works on it.
///
/// So leases can be short, and those of a node that dies end in seconds. A lease that could not be renewed is as good as lost:
/// nothing is begun under it any more, and what the worker has to say later the queue does not take.
package final class LeaseKeeper: Sendable {
    /// Renews the leases of rows, by their numbers, and answers those that are still the worker's.
    package typealias Renewal = @Sendable ([Int64]) async throws -> [Int64]

    private struct Row {
        /// Until then it is certainly ours.
        var until: ContinuousClock.Instant
        /// Whether its outcome is on the way to the queue, where nobody takes it any more.
        var isSettling = false
    }

    private struct State {
        var rows: [Int64: Row] = [:]
        /// Until then the queue was away, or slow, or not known to be neither.
        var trouble: ContinuousClock.Instant
    }

    /// An answer that takes longer means trouble: others may have waited as long.
    private static let slowness = Duration.seconds(1)

    /// How long a lease lasts, in milliseconds.
    package let milliseconds: Int64
    private let renewal: Renewal
    private let onLoss: @Sendable (Int) -> Void
    private let state = Mutex(State(trouble: .now))

    /// - Parameters:
    ///   - milliseconds: how long a lease lasts.
    ///   - renewal: makes the leases of rows last as long again, and answers those that are the worker's still.
    ///   - onLoss: told how many rows another worker took over before they were begun or done.
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

    /// Whether to take over what another worker had in hand when its lease ran out.
    ///
    /// Not right after trouble with the queue, and not right after the start: nobody could renew anything then, so whoever is
    /// alive comes first, and what they have sent is not sent again.
    package var takesOver: Bool {
        let calm = min(lease / 3, .seconds(5))
        return state.withLock { ContinuousClock.now - $0.trouble >= calm }
    }

    /// Runs a call to the queue, and notes whether it can be reached.
    ///
    /// - Parameter isShort: whether the call does so little that one which takes long means trouble.
    package func reach<Answer>(isShort: Bool = true, _ call: () async throws -> Answer) async throws -> Answer {
        let asked = ContinuousClock.now
        do {
            let answer = try await call()
            if isShort, ContinuousClock.now - asked > Self.slowness { noteTrouble() }
            return answer
        } catch {
            noteTrouble()
            throw error
        }
    }

    private func noteTrouble() {
        state.withLock { $0.trouble = .now }
    }

    /// Begins with rows that the worker asked for at a moment.
    package func hold(_ rows: [Int64], since asked: ContinuousClock.Instant) {
        state.withLock { state in
            for row in rows { state.rows[row] = Row(until: asked + lease) }
        }
    }

    /// Whether there is enough left of the lease to begin something that cannot be taken back.
    package func mayBegin(_ row: Int64) -> Bool {
        state.withLock { state in
            guard let row = state.rows[row] else { return false }
            return row.until - .now > lease / 3
        }
    }

    /// Notes that outcomes are on their way to the queue.
    package func settle(_ rows: [Int64]) {
        state.withLock { state in
            for row in rows { state.rows[row]?.isSettling = true }
        }
    }

    /// Ends with rows whose outcomes are recorded, or given up; not with those that were taken anew since.
    package func drop(_ rows: [Int64]) {
        state.withLock { state in
            for row in rows where state.rows[row]?.isSettling == true { state.rows[row] = nil }
        }
    }

    /// Renews what is held, until its task is cancelled.
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
                note(kept: Set(kept), of: rows, since: asked)
                pause = regular
            } catch {
                pause = soon
            }
        }
    }

    /// All but those whose outcomes are just being recorded, so that the two do not wait for one another.
    private func rowsToRenew() -> [Int64] {
        let soon = ContinuousClock.now + lease / 2
        return state.withLock { state in
            state.rows.filter { !$0.value.isSettling || $0.value.until < soon }.map(\.key)
        }
    }

    private func note(kept: Set<Int64>, of rows: [Int64], since asked: ContinuousClock.Instant) {
        let lost = state.withLock { state in
            var lost = 0
            for number in rows {
                guard let row = state.rows[number] else { continue }
                if kept.contains(number) {
                    state.rows[number]?.until = max(row.until, asked + lease)
                } else if !row.isSettling {
                    state.rows[number] = nil
                    lost += 1
                }
            }
            return lost
        }
        if lost > 0 { onLoss(lost) }
    }
}
