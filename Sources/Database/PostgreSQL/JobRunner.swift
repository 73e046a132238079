internal import Glibc
internal import Synchronization

/// Runs closures one after the other, each until its outcome stands.
struct JobRunner {
    let pool: PostgreSQLPool
    let configuration: PostgreSQLConfiguration
    let retries: Retries

    /// What became of one attempt.
    private enum Attempt {
        case settled
        /// To be run again: others got in the way, or the connection went away before anything could have happened.
        case failed(DatabaseError)
    }

    /// Runs a job and answers it.
    func run(_ job: any Job) {
        defer { job.answer() }
        var failure = DatabaseError(.conflict, message: "nothing was tried")
        for attempt in 0..<max(1, configuration.maximumAttempts) {
            if attempt > 0 {
                retries.count.add(1, ordering: .relaxed)
                pause(after: attempt)
            }
            do {
                switch try pool.withConnection({ self.attempt(job, on: $0) }) {
                case .settled: return
                case .failed(let error): failure = error
                }
            } catch let error as DatabaseError {
                return job.fail(error)
            } catch {
                return job.fail(DatabaseError(.internal, message: "\(error)"))
            }
        }
        job.fail(failure.kind == .conflict ? DatabaseError(.busy, message: failure.message) : failure)
    }

    private func attempt(_ job: any Job, on connection: PostgreSQLConnection) -> Attempt {
        connection.begin(mode(of: job))
        let transaction = Transaction(connection, now: pool.clock.now)
        guard job.attempt(transaction) else {
            connection.rollback()
            if let failure = transaction.failure { return verdict(failure, of: job) }
            return .settled
        }
        guard !job.mode.isReading else {
            // Nothing is at stake, and what was read came from one snapshot.
            connection.rollback()
            return .settled
        }
        do throws(DatabaseError) {
            try connection.commit()
            return .settled
        } catch {
            connection.rollback()
            job.fail(error)
            return verdict(error, of: job)
        }
    }

    private func mode(of job: any Job) -> PostgreSQLConnection.Mode {
        switch job.mode {
        case .reading(snapshot: true): .snapshot
        case .reading(snapshot: false): .single
        case .writing: .serializable
        case .leasing: .readCommitted
        }
    }

    private func verdict(_ error: DatabaseError, of job: any Job) -> Attempt {
        switch error.kind {
        case .conflict, .unavailable: return .failed(error)
        default:
            if error.concernsTheMachine { configuration.onEvent(.writeFailed(error)) }
            return .settled
        }
    }

    /// Waits a little, longer each time, and not as long as the others that are in the way.
    private func pause(after attempt: Int) {
        let longest = min(100_000, 500 << min(attempt, 10))
        usleep(useconds_t(Int.random(in: longest / 4...longest)))
    }
}

/// How often closures ran again.
final class Retries: Sendable {
    let count = Atomic<Int>(0)
}
