internal import Synchronization

/// A bounded first-in, first-out queue of jobs for threads.
///
/// The queue measures how fast jobs leave it, so that calls can be refused before they wait for too long
/// (``isCongested``). Work in the background is accepted up to the limit: it is bounded by itself, and calls that are
/// refused leave room for it.
final class JobQueue: Sendable {
    private struct State {
        var jobs: [any Job] = []
        /// The number of threads waiting for a job.
        ///
        /// A push wakes one of them.
        var sleepers = 0
        var isClosed = false
        var pace = QueuePace()
        /// The jobs that run and that others could have joined, by kind.
        var running: [String: RunningJobs] = [:]
        /// Whether a thread waits until a job may run beside a slow one of its kind.
        var isWatched = false

        /// Returns the index of the oldest job that may run now.
        ///
        /// A job that calls can join runs beside another one of its kind only if that one is slow.
        func nextJob(besideThoseBegunBy slow: Int64) -> Int? {
            jobs.firstIndex { mayRun($0, besideThoseBegunBy: slow) }
        }

        func mayRun(_ job: any Job, besideThoseBegunBy slow: Int64) -> Bool {
            guard job.mayJoin, let running = running[job.kind] else { return true }
            return running.count < JobQueue.mostRunning && running.lastBegan <= slow
        }
    }

    /// The jobs of one kind that run.
    private struct RunningJobs {
        var count = 0
        /// When the newest of them began, by ``Deadline/nowInMicroseconds``.
        var lastBegan: Int64 = 0
    }

    private enum Offered { case queued(wake: Bool), full, closed }

    private let limit: Int
    private let bounds: QueueBounds
    private let slowness: Int
    private let monitor = Monitor(State())
    /// Whether a new job would wait for too long, as of the last change of the queue.
    private let congestion = Atomic(false)

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - limit: the number of jobs that may wait. Further jobs are rejected.
    ///   - bounds: when the queue counts as congested.
    ///   - slowness: how long a job runs before another one of its kind runs beside it, in milliseconds. A transaction
    ///     that waits for a lock, a slow disk or a distant server must not delay all calls of its kind.
    init(limit: Int, bounds: QueueBounds = QueueBounds(), slowness: Int = 5) {
        self.limit = limit
        self.bounds = bounds
        self.slowness = slowness
    }

    /// The latest time at which a job began that counts as slow now.
    private var slow: Int64 { Deadline.nowInMicroseconds - Int64(slowness) * 1000 }

    /// Whether a new job would wait for too long.
    ///
    /// Costs one read of memory.
    var isCongested: Bool { congestion.load(ordering: .relaxed) }

    /// Queues a job, or fails it at once: `overloaded` when too many wait, `closed` when the queue is closed.
    func push(_ job: any Job) {
        guard !offer(job) else { return }
        job.fail(.closed)
        job.answer()
    }

    /// Queues a job unless the queue is closed, or fails it with `overloaded` when too many wait.
    ///
    /// - Returns: false if the queue is closed, and then nothing was done to the job.
    func offer(_ job: any Job) -> Bool {
        let offered = monitor.withLock { state in
            if state.isClosed { return Offered.closed }
            if state.jobs.count >= limit { return .full }
            state.jobs.append(job)
            if !isCongested, bounds.areExceeded(by: state.jobs, state.pace) {
                congestion.store(true, ordering: .relaxed)
            }
            // A thread is needed for the job, or to watch that it does not wait for long.
            let isNeeded = !state.isWatched || state.mayRun(job, besideThoseBegunBy: slow)
            return .queued(wake: state.sleepers > 0 && isNeeded)
        }
        switch offered {
        case .queued(let wake):
            // Waking costs a system call, so it is done only if a thread sleeps.
            if wake { monitor.wakeOne() }
        case .full:
            job.fail(.overloaded)
            job.answer()
        case .closed: return false
        }
        return true
    }

    /// Waits for jobs and takes up to `count` of them, oldest first.
    ///
    /// A job that must not share a transaction is taken alone.
    ///
    /// - Returns: the jobs; `nil` once the queue is closed and empty.
    func take(atMost count: Int) -> [any Job]? {
        var isAsleep = false
        var hasWaited = false
        return monitor.wait { (state: inout State) -> [any Job]?? in
            if isAsleep {
                state.sleepers -= 1
                isAsleep = false
            }
            guard !state.jobs.isEmpty else {
                if state.isClosed { return .some(nil) }
                state.sleepers += 1
                isAsleep = true
                hasWaited = true
                return nil
            }
            let waiting = state.jobs.count
            let batch = Self.removeBatch(from: &state.jobs, atMost: count)
            measure(&state, since: waiting, taken: batch.first, hasWaited: hasWaited)
            return .some(batch)
        }
    }

    /// Waits for a job and takes it, the oldest one that may run, together with those that can join it.
    ///
    /// Calls join a job only while it waits. Therefore one job of a kind that others can join runs at a time, and further
    /// calls of the kind gather, which costs each of them much less. If the job is slow, another one runs beside it, up to
    /// ``mostRunning`` in all. The caller must pass the job to ``finish(_:)``.
    ///
    /// - Returns: the job; `nil` once the queue is closed and empty.
    func takeOne() -> (any Job)? {
        var isAsleep = false
        var isWatching = false
        var hasWaited = false
        while true {
            let taken = monitor.wait { (state: inout State) -> Taken? in
                if isAsleep { state.sleepers -= 1 }
                if isWatching { state.isWatched = false }
                (isAsleep, isWatching) = (false, false)
                if let index = state.nextJob(besideThoseBegunBy: slow) {
                    return take(at: index, &state, hasWaited: hasWaited)
                }
                if state.isClosed, state.jobs.isEmpty { return .nothing }
                state.sleepers += 1
                (isAsleep, hasWaited) = (true, true)
                guard !state.jobs.isEmpty, !state.isWatched else { return nil }
                state.isWatched = true
                isWatching = true
                return .watch
            }
            switch taken {
            case .nothing: return nil
            case .job(let job, let wakes):
                wake(wakes)
                return job
            case .watch:
                _ = monitor.wait(milliseconds: max(1, slowness)) { state in
                    let isEnding = state.isClosed && state.jobs.isEmpty
                    return isEnding || state.nextJob(besideThoseBegunBy: slow) != nil ? true : nil
                }
            }
        }
    }

    private enum Taken {
        case nothing
        case job(any Job, Wakes)
        /// Jobs wait for slow ones of their kind.
        case watch
    }

    private func take(at index: Int, _ state: inout State, hasWaited: Bool) -> Taken {
        let waiting = state.jobs.count
        let job = Self.remove(at: index, from: &state.jobs)
        measure(&state, since: waiting, taken: job, hasWaited: hasWaited)
        if job.mayJoin {
            state.running[job.kind, default: RunningJobs()].count += 1
            state.running[job.kind]?.lastBegan = Deadline.nowInMicroseconds
        }
        if state.isClosed { return .job(job, .allThreads) }
        // A push wakes no thread for a job that may not run yet.
        let isOneNeeded = !state.jobs.isEmpty && (!state.isWatched || state.nextJob(besideThoseBegunBy: slow) != nil)
        return .job(job, state.sleepers > 0 && isOneNeeded ? .oneThread : .noThread)
    }

    /// Measures the pace at which jobs leave the queue, and judges by it whether the queue is congested.
    private func measure(_ state: inout State, since waiting: Int, taken first: (any Job)?, hasWaited: Bool) {
        state.pace.take(
            waiting - state.jobs.count,
            at: Deadline.nowInMicroseconds,
            hasWaited: hasWaited,
            areTypical: first?.mode.mayTakeLong == false
        )
        let isExceeded = bounds.areExceeded(by: state.jobs, state.pace)
        if isExceeded != isCongested { congestion.store(isExceeded, ordering: .relaxed) }
    }

    private enum Wakes { case noThread, oneThread, allThreads }

    private func wake(_ threads: Wakes) {
        switch threads {
        case .noThread: break
        case .oneThread: monitor.wakeOne()
        case .allThreads: monitor.wakeAll()
        }
    }

    /// Records that a job that ``takeOne()`` returned has ended.
    ///
    /// The caller must call ``takeOne()`` again, because this wakes no thread.
    func finish(_ job: any Job) {
        guard job.mayJoin else { return }
        monitor.withLock { state in
            let left = (state.running[job.kind]?.count ?? 1) - 1
            if left > 0 { state.running[job.kind]?.count = left } else { state.running[job.kind] = nil }
        }
    }

    /// Queues the parts of a job that ``takeOne()`` returned, before all other jobs.
    ///
    /// The parts run beside one another where threads are free. The caller must call ``takeOne()`` again, so that they run
    /// also when the queue is closed.
    func putBack(_ parts: [any Job]) {
        let isOneNeeded = monitor.withLock { state in
            state.jobs.insert(contentsOf: parts, at: 0)
            return state.sleepers > 0
        }
        if isOneNeeded { monitor.wakeOne() }
    }

    /// Removes all waiting jobs, and completes each with an error on the calling thread.
    func failAll(_ error: DatabaseError) {
        let jobs = monitor.withLock { state in
            defer { state.jobs = [] }
            congestion.store(false, ordering: .relaxed)
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

    /// The number of waiting jobs of which some may join the one that is taken.
    private static let joinable = 256
    /// The number of jobs of one kind, which others can join, that run at a time, if each of them is slow.
    static let mostRunning = 3

    private static func removeBatch(from jobs: inout [any Job], atMost count: Int) -> [any Job] {
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

    private static func remove(at place: Int, from jobs: inout [any Job]) -> any Job {
        let job = jobs.remove(at: place)
        guard job.mayJoin else { return job }
        let end = min(jobs.count, place + joinable)
        var kept = place
        for index in place..<end where !job.join(jobs[index]) {
            jobs[kept] = jobs[index]
            kept += 1
        }
        jobs.removeSubrange(kept..<end)
        return job
    }
}
