/// A bounded first-in, first-out queue of jobs for threads.
final class JobQueue: Sendable {
    private struct State {
        var jobs: [any Job] = []
        /// The number of threads waiting for a job.
        ///
        /// A push wakes one of them.
        var sleepers = 0
        var isClosed = false
    }

    private enum Pushed { case queued(wake: Bool), refused(DatabaseError) }

    private let limit: Int
    private let monitor = Monitor(State())

    /// Creates an empty queue.
    ///
    /// - Parameter limit: the number of jobs that may wait. Further jobs are rejected.
    init(limit: Int) {
        self.limit = limit
    }

    /// Queues a job, or fails it at once: `overloaded` when too many wait, `closed` when the queue is closed.
    func push(_ job: any Job) {
        let pushed = monitor.withLock { state in
            if state.isClosed { return Pushed.refused(.closed) }
            if state.jobs.count >= limit { return .refused(.overloaded) }
            state.jobs.append(job)
            return .queued(wake: state.sleepers > 0)
        }
        switch pushed {
        case .queued(let wake):
            // Waking costs a system call, so it is done only if a thread sleeps.
            if wake { monitor.wakeOne() }
        case .refused(let error):
            job.fail(error)
            job.answer()
        }
    }

    /// Waits for jobs and takes up to `count` of them, oldest first.
    ///
    /// A job that must not share a transaction is taken alone. Of the jobs behind the first one, those that can join it
    /// do.
    ///
    /// - Returns: the jobs; `nil` once the queue is closed and empty.
    func take(atMost count: Int) -> [any Job]? {
        var isAsleep = false
        return monitor.wait { (state: inout State) -> [any Job]?? in
            if isAsleep {
                state.sleepers -= 1
                isAsleep = false
            }
            guard !state.jobs.isEmpty else {
                if state.isClosed { return .some(nil) }
                state.sleepers += 1
                isAsleep = true
                return nil
            }
            return .some(Self.removeBatch(from: &state.jobs, atMost: count))
        }
    }

    /// Removes all waiting jobs, and completes each with an error on the calling thread.
    func failAll(_ error: DatabaseError) {
        let jobs = monitor.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs {
            job.fail(error)
            job.answer()
        }
    }

    /// The number of waiting jobs.
    var count: Int { monitor.withLock { $0.jobs.count } }

    /// Accepts no more jobs.
    ///
    /// Waiting jobs are still run.
    func close() {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
    }

    /// The number of waiting jobs of which some may join the first one.
    private static let joinable = 256

    private static func removeBatch(from jobs: inout [any Job], atMost count: Int) -> [any Job] {
        if count == 1 { return [removeFirst(from: &jobs)] }
        let size = jobs.first?.mode.isAlone == true ? 1 : jobs.prefix(count).prefix { !$0.mode.isAlone }.count
        if size == jobs.count {
            let all = jobs
            jobs = []
            jobs.reserveCapacity(all.count)
            return all
        }
        let batch = Array(jobs.prefix(size))
        jobs.removeFirst(size)
        return batch
    }

    private static func removeFirst(from jobs: inout [any Job]) -> any Job {
        let first = jobs.removeFirst()
        guard first.mayJoin else { return first }
        let end = min(jobs.count, joinable)
        var kept = 0
        for index in 0..<end where !first.join(jobs[index]) {
            jobs[kept] = jobs[index]
            kept += 1
        }
        jobs.removeSubrange(kept..<end)
        return first
    }
}
