internal import Glibc

/// Runs transactions one after the other, and repeats each after a conflict until its outcome is final.
///
/// After a conflict, a closure is retried a few times after short pauses. It then moves to the contended queue of this
/// node, so that contending closures wait for one another instead of conflicting again.
///
/// A closure that has waited for a lock for too long moves to the blocked queue of this node. There it runs again until it
/// gets the lock, in turn with the other blocked closures, so that they never occupy more than a few connections.
struct TransactionRetrier: Sendable {
    let primary: PostgreSQLPool
    /// The pool for reads that may lag; `nil` without a replica.
    let replica: PostgreSQLPool?
    let configuration: PostgreSQLConfiguration
    let statistics: StatisticsCollector
    /// The calls that shared transactions have left to run alone.
    let postponed: PostponedCalls
    /// The queue of the jobs that this runs.
    private(set) var queue: JobQueue
    /// The queue for closures with repeated conflicts; `nil` for the runner that takes jobs from it.
    private(set) var contended: JobQueue?
    /// The queue for closures that have waited for a lock for too long.
    let blocked: JobQueue

    /// The number of attempts before a closure moves to the contended queue.
    private static let attemptsAtOnce = 3
    /// The number of broken connections after which a closure is given up.
    private static let mostLosses = 3

    /// The result of one attempt.
    private enum Attempt {
        case finished
        /// The closure must be retried: a conflict, or the connection broke before anything could have happened.
        case failed(DatabaseError)
        /// The closure has waited for a lock for too long.
        case blocked(DatabaseError)
        /// The closure lost a race for a unique key, and decides anew when it finds the winner's row.
        case lostRace
        /// The closure must run again with what it needs.
        case needsMore
    }

    /// Returns a runner of the jobs of another queue.
    ///
    /// - Parameters:
    ///   - queue: the other queue.
    ///   - contended: the queue to which that runner moves closures with repeated conflicts; `nil` if it runs each to its
    ///     end.
    func serving(_ queue: JobQueue, contended: JobQueue?) -> TransactionRetrier {
        var runner = self
        (runner.queue, runner.contended) = (queue, contended)
        return runner
    }

    /// Runs the jobs of the queue until it is closed and empty, as the body of a thread.
    func runAll() {
        while let job = queue.takeOne() {
            run(job)
            queue.finish(job)
        }
    }

    /// Runs a job and completes it, now or when its turn comes in another queue.
    private func run(_ job: any Job) {
        if case .reading(_, mayLag: true) = job.mode, let replica, !replica.isAway {
            // Whatever the error is, the primary is asked next.
            if let attempt = try? attempt(job, on: replica), case .finished = attempt, !job.hasFailed {
                return answer(job)
            }
        }
        guard !isOver(job) else {
            job.fail(DatabaseError(.overloaded, message: "the closure waited for too long"))
            return job.answer()
        }
        var losses = 0, races = 0
        while true {
            giveUpOldCalls(of: job)
            switch tried(job) {
            case .finished:
                return answer(job)
            case .failed(let error) where error.kind == .conflict:
                job.repeats += 1
                if isOver(job) { return giveUp(job, DatabaseError(.busy, message: error.message)) }
                if let contended, job.repeats >= Self.attemptsAtOnce, contended.offer(job) { return }
                pause(after: job.repeats)
            case .blocked(let error):
                job.repeats += 1
                if isOver(job) { return giveUp(job, error) }
                if blocked.offer(job) { return }
            case .lostRace:
                job.repeats += 1
                races += 1
                // The outcome is the violation, which is final if the closure does not notice the winner's row.
                if races >= Self.attemptsAtOnce || isOver(job) { return answer(job, inVain: true) }
            case .needsMore: break
            case .failed(let error):
                losses += 1
                if losses >= Self.mostLosses || isOver(job) { return giveUp(job, error) }
            }
        }
    }

    private func answer(_ job: any Job, inVain: Bool = false) {
        let outcomes = job.outcomes()
        let postponements = outcomes.map { $0.postpone(to: postponed) }
        let rolledBack = outcomes.filter { $0.count > 1 && $0.failure.map(Self.mayConcernOneCall) ?? false }
        divide(rolledBack)
        let answered = outcomes.filter { outcome in !rolledBack.contains { $0 === outcome } }
        for job in answered { statistics.record(job, inVain: inVain) }
        if job.count > 1 {
            configuration.completing { for job in answered { job.answer() } }
        } else {
            for job in answered { job.answer() }
        }
        for postponement in postponements { postponement() }
    }

    /// Lets the calls of jobs that were rolled back run again in parts, so that those that are not to blame succeed.
    private func divide(_ jobs: [any Job]) {
        let parts = jobs.flatMap { $0.parts() }
        if jobs.contains(where: { $0.ranInParts }) {
            // These failed although each part had a savepoint. The cause may show only at a commit, so each part gets one.
            queue.putBack(parts)
        } else if let job = DividedJob(parts, rollingBackAlone: { Self.mayConcernOneCall($0) && !isContested($0) }) {
            queue.putBack([job])
        }
    }

    /// Whether an error, after which nothing was kept, may be due to one of several calls.
    private static func mayConcernOneCall(_ failure: any Error) -> Bool {
        guard let error = failure as? DatabaseError else { return true }
        switch error.kind {
        case .constraint, .misuse, .invalidText, .corrupt, .timeout, .busy: return true
        case .full, .readOnly, .io, .closed, .conflict, .unavailable, .outcomeUnknown, .overloaded, .schema, .internal:
            return false
        }
    }

    private func giveUp(_ job: any Job, _ error: DatabaseError) {
        job.fail(error)
        answer(job, inVain: true)
    }

    /// The time by ``Deadline/now`` before which a closure that still waits was queued too early.
    private var oldest: Int64 { Deadline.now - Int64(configuration.patience) }

    /// Whether a job has waited for too long.
    private func isOver(_ job: any Job) -> Bool { job.arrival < oldest }

    /// Gives up those calls of a job that have waited for too long, while others have not.
    private func giveUpOldCalls(of job: any Job) {
        guard let old = job.removeCalls(before: oldest) else { return }
        giveUp(old, DatabaseError(.overloaded, message: "the call waited for too long"))
    }

    private func tried(_ job: any Job) -> Attempt {
        do {
            return try attempt(job, on: primary)
        } catch {
            job.fail(error as? DatabaseError ?? DatabaseError(.internal, message: "\(error)"))
            return .finished
        }
    }

    private func attempt(_ job: any Job, on pool: PostgreSQLPool) throws -> Attempt {
        try pool.withConnection { connection in
            let before = (connection.roundTrips, connection.statements)
            let changesBefore = connection.changes
            defer {
                job.roundTrips += connection.roundTrips - before.0
                job.statements += connection.statements - before.1
            }
            connection.begin(mode(of: job))
            // The time is the primary's, even on a replica.
            let transaction = Transaction(
                connection,
                now: primary.clock.now,
                isolation: isolation(of: job),
                needs: job.needs
            )
            do throws(DatabaseError) {
                try transaction.lockTables()
            } catch {
                connection.rollback()
                job.fail(error)
                return verdict(error, job)
            }
            guard job.attempt(transaction) else {
                connection.rollback()
                if let needs = transaction.unmetNeeds, needs != job.needs {
                    if needs.second != job.needs.second { job.repeats += 1 }
                    job.needs = needs
                    return .needsMore
                }
                return transaction.failure.map { verdict($0, job) } ?? .finished
            }
            guard !job.mode.isReading else {
                // Nothing was written, and all reads came from one snapshot.
                connection.rollback()
                return .finished
            }
            do throws(DatabaseError) {
                try transaction.enqueueFinalChecks()
                try connection.commit()
                if connection.changes != changesBefore { configuration.health.recordCommit() }
                return .finished
            } catch {
                connection.rollback()
                job.fail(error)
                configuration.health.record(error)
                return verdict(error, job)
            }
        }
    }

    private func mode(of job: any Job) -> PostgreSQLConnection.Mode {
        switch job.mode {
        case .reading(snapshot: true, _): .snapshot
        case .reading(snapshot: false, _): .single
        case .writing, .leasing: isolation(of: job) == .serializable ? .serializable : .readCommitted
        }
    }

    private func isolation(of job: any Job) -> Isolation {
        switch job.mode {
        case .writing(_, .readCommitted), .leasing: job.needs.serializable ? .serializable : .readCommitted
        case .writing(_, .serializable), .reading: .serializable
        }
    }

    private func verdict(_ error: DatabaseError, _ job: any Job) -> Attempt {
        switch error.kind {
        case .conflict, .unavailable: return .failed(error)
        case .busy where job.runsAgainWhenBlocked: return .blocked(error)
        case .constraint(.unique) where isContested(error): return .lostRace
        default:
            if error.concernsTheMachine { configuration.onEvent(.writeFailed(error)) }
            return .finished
        }
    }

    /// Whether another transaction won a race for a unique key.
    private func isContested(_ violation: DatabaseError) -> Bool {
        guard violation.kind == .constraint(.unique), let key = violation.constraint else { return false }
        return configuration.contestedKeys.contains(key) && !configuration.omittedProtections.contains(key)
    }

    /// Waits for a short random time, longer after each retry, so that conflicting closures do not meet again.
    private func pause(after repeats: Int) {
        let longest = min(20_000, 500 << min(repeats, 10))
        usleep(useconds_t(Int.random(in: longest / 4...longest)))
    }
}
