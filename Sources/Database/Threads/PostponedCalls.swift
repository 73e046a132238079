internal import Synchronization

/// Calls that a shared transaction left to run alone, because it would have had to wait for another transaction.
///
/// Of the calls with the same key, one at a time is in the queue or runs. So calls of one user whose row is held by another
/// transaction occupy one connection, and not all of them.
final class PostponedCalls: Sendable {
    private let queue: JobQueue
    /// By the keys of which a job is in the queue or runs.
    private let lines = Mutex<[String: Line]>([:])

    /// The jobs with one key.
    private struct Line {
        /// The jobs that wait for the one that is in the queue or runs.
        var waiting: [any Job] = []
        /// When that job was queued, by ``Deadline/now``.
        var since = Deadline.now
    }

    /// The maximum number of jobs that wait for another one with their key.
    private static let mostWaiting = 64

    /// Makes an empty list.
    ///
    /// - Parameter queue: the queue of the jobs whose turn it is.
    init(_ queue: JobQueue) {
        self.queue = queue
    }

    /// The time in milliseconds after which a job counts as stuck.
    private static let patience: Int64 = 50

    /// Whether a job with a key has been in the queue, or has run, for so long that it probably waits for another
    /// transaction.
    func isStuck(key: String) -> Bool {
        lines.withLock { lines in
            guard !lines.isEmpty, let line = lines[key] else { return false }
            return Deadline.now - line.since > Self.patience
        }
    }

    /// Runs a job after the earlier ones with its key.
    ///
    /// The job's completion must call ``finish(key:)``.
    ///
    /// - Returns: false if too many jobs wait, and then the job does not run.
    func add(_ job: any Job, key: String) -> Bool {
        let waits = lines.withLock { lines -> Bool? in
            guard let line = lines[key] else {
                lines[key] = Line()
                return false
            }
            guard line.waiting.count < Self.mostWaiting else { return nil }
            lines[key, default: Line()].waiting.append(job)
            return true
        }
        if waits == false { queue.push(job) }
        return waits != nil
    }

    /// Queues the next job with a key, after the completion of one.
    func finish(key: String) {
        let next = lines.withLock { lines -> (any Job)? in
            guard var line = lines[key], !line.waiting.isEmpty else {
                lines[key] = nil
                return nil
            }
            let next = line.waiting.removeFirst()
            line.since = Deadline.now
            lines[key] = line
            return next
        }
        if let next { queue.push(next) }
    }
}
