internal import Synchronization

/// A call that a shared transaction postponed, because it would have had to wait for another transaction.
struct PostponedCall: Sendable {
    /// The name of what the call may have to wait for.
    let key: String
    /// Returns the job that tries the call again, together with others and without waiting.
    let together: @Sendable () -> any Job
    /// Returns the job that runs the call in a transaction of its own, which may wait.
    ///
    /// The job's completion must call ``PostponedCalls/finish(key:)``.
    let alone: @Sendable () -> any Job
}

/// The calls that shared transactions postponed.
///
/// Of the calls with the same key, one at a time runs alone. So calls of one user whose row is held by another transaction
/// occupy one connection, and not all of them. When the one has ended, the row is free, and the others try together again.
final class PostponedCalls: Sendable {
    private struct State {
        /// By the keys of which a call is in the queue to run alone, or runs.
        var lines: [String: Line] = [:]
        /// The number of calls that wait in all lines.
        var waiting = 0
    }

    /// The calls with one key.
    private struct Line {
        /// The calls that wait for the one that is in the queue or runs.
        var waiting: [PostponedCall] = []
        /// When that call was queued, by ``Deadline/now``.
        let since = Deadline.now
    }

    private let queue: JobQueue
    private let limit: Int
    private let state = Mutex(State())

    /// Makes an empty list.
    ///
    /// - Parameters:
    ///   - queue: the queue of the calls that run again.
    ///   - limit: the number of calls that may wait. Further calls are rejected.
    init(_ queue: JobQueue, limit: Int) {
        self.queue = queue
        self.limit = limit
    }

    /// The time in milliseconds after which a call counts as stuck.
    private static let patience: Int64 = 50

    /// Whether a call with a key has been in the queue, or has run, for so long that it probably waits for another
    /// transaction.
    func isStuck(key: String) -> Bool {
        state.withLock { state in
            guard !state.lines.isEmpty, let line = state.lines[key] else { return false }
            return Deadline.now - line.since > Self.patience
        }
    }

    /// Runs a call alone, or again with others after the earlier one with its key.
    ///
    /// - Returns: false if too many calls wait, and then the call does not run.
    func add(_ call: PostponedCall) -> Bool {
        let waits = state.withLock { state -> Bool? in
            guard state.lines[call.key] != nil else {
                state.lines[call.key] = Line()
                return false
            }
            guard state.waiting < limit else { return nil }
            state.waiting += 1
            state.lines[call.key]?.waiting.append(call)
            return true
        }
        if waits == false { queue.push(call.alone()) }
        return waits != nil
    }

    /// Queues the calls that waited for one that ran alone, after its completion.
    func finish(key: String) {
        let calls = state.withLock { state in
            let calls = state.lines[key]?.waiting ?? []
            state.waiting -= calls.count
            // A single call gains nothing from another attempt with others, and runs alone.
            state.lines[key] = calls.count == 1 ? Line() : nil
            return calls
        }
        for call in calls { queue.push(calls.count == 1 ? call.alone() : call.together()) }
    }
}
