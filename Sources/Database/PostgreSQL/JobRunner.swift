internal import Glibc

/// Runs closures one after the other, each until its outcome stands.
///
/// A closure that others got in the way of runs again, a few times at once; then it queues behind the others of this node
/// that met the same, so that they wait for one another in place of getting in each other's way.
struct JobRunner {
    let primary: PostgreSQLPool
    /// For reads that may lag; `nil` without one.
    let replica: PostgreSQLPool?
    let configuration: PostgreSQLConfiguration
    let tallies: Tallies
    /// Where closures queue that others got in the way of; `nil` for the runner that takes them from there.
    let contended: JobQueue?

    /// So often a closure runs before it queues.
    private static let attemptsAtOnce = 3
    /// So many connections in a row may turn out to be broken.
    private static let mostLosses = 3

    /// What became of one attempt.
    private enum Attempt {
        case settled
        /// To be run again: others got in the way, or the connection went away before anything could have happened.
        case failed(DatabaseError)
    }

    /// Runs a job and answers it, now or once it had its turn among those that queue.
    func run(_ job: any Job) {
        if case .reading(_, mayLag: true) = job.mode, let replica, !replica.isAway {
            // Whatever is wrong there: the primary knows better.
            if let attempt = try? attempt(job, on: replica), case .settled = attempt, !job.hasFailed {
                return answer(job)
            }
        }
        guard !isOver(job) else {
            job.fail(DatabaseError(.overloaded, message: "the closure waited for too long"))
            return job.answer()
        }
        var losses = 0
        while true {
            switch tried(job) {
            case .settled:
                return answer(job)
            case .failed(let error) where error.kind == .conflict:
                job.repeats += 1
                if isOver(job) { return giveUp(job, DatabaseError(.busy, message: error.message)) }
                if let contended, job.repeats >= Self.attemptsAtOnce { return contended.push(job) }
                pause(after: job.repeats)
            case .failed(let error):
                losses += 1
                if losses >= Self.mostLosses || isOver(job) { return giveUp(job, error) }
            }
        }
    }

    private func answer(_ job: any Job, inVain: Bool = false) {
        tallies.note(job, inVain: inVain)
        job.answer()
    }

    private func giveUp(_ job: any Job, _ error: DatabaseError) {
        job.fail(error)
        answer(job, inVain: true)
    }

    private func isOver(_ job: any Job) -> Bool { Deadline.now - job.arrival > Int64(configuration.patience) }

    private func tried(_ job: any Job) -> Attempt {
        do {
            return try attempt(job, on: primary)
        } catch {
            job.fail(error as? DatabaseError ?? DatabaseError(.internal, message: "\(error)"))
            return .settled
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
            // The time is the primary's, also on a replica.
            let transaction = Transaction(connection, now: primary.clock.now)
            guard job.attempt(transaction) else {
                connection.rollback()
                return transaction.failure.map { verdict($0) } ?? .settled
            }
            guard !job.mode.isReading else {
                // Nothing is at stake, and what was read came from one snapshot.
                connection.rollback()
                return .settled
            }
            do throws(DatabaseError) {
                try connection.commit()
                if connection.changes != changesBefore { configuration.health.noteCommit() }
                return .settled
            } catch {
                connection.rollback()
                job.fail(error)
                configuration.health.note(error)
                return verdict(error)
            }
        }
    }

    private func mode(of job: any Job) -> PostgreSQLConnection.Mode {
        switch job.mode {
        case .reading(snapshot: true, _): .snapshot
        case .reading(snapshot: false, _): .single
        case .writing: .serializable
        case .leasing: .readCommitted
        }
    }

    private func verdict(_ error: DatabaseError) -> Attempt {
        switch error.kind {
        case .conflict, .unavailable: return .failed(error)
        default:
            if error.concernsTheMachine { configuration.onEvent(.writeFailed(error)) }
            return .settled
        }
    }

    /// Waits a little, longer each time, and not as long as the others that are in the way.
    private func pause(after repeats: Int) {
        let longest = min(20_000, 500 << min(repeats, 10))
        usleep(useconds_t(Int.random(in: longest / 4...longest)))
    }
}
