/// The parts of a job that one of its calls made fail, which run in one transaction.
///
/// Each part has a savepoint. So the parts without that call are committed together, which costs much less than a transaction
/// for each part.
final class DividedJob: Job, @unchecked Sendable {
    // Unchecked: one thread has the job at a time, and the queue's lock passes it on.
    let mode: JobMode
    let kind: String
    let arrival: Int64
    let count: Int
    var repeats = 0
    var needs = TransactionNeeds()
    var roundTrips = 0
    var statements = 0
    /// The error after which nothing of the parts was kept.
    private(set) var failure: (any Error)?
    private let jobs: [any Job]
    private let mayBeRolledBackAlone: (DatabaseError) -> Bool

    /// Makes a job of the parts of another one, or of several; `nil` without any part.
    ///
    /// - Parameter mayBeRolledBackAlone: returns whether a part that failed with an error leaves the others as they are.
    init?(_ parts: [any Job], rollingBackAlone mayBeRolledBackAlone: @escaping @Sendable (DatabaseError) -> Bool) {
        guard let first = parts.first else { return nil }
        jobs = parts
        (mode, kind) = (first.mode, first.kind)
        arrival = parts.reduce(first.arrival) { max($0, $1.arrival) }
        count = parts.reduce(0) { $0 + $1.count }
        self.mayBeRolledBackAlone = mayBeRolledBackAlone
    }

    func attempt(_ transaction: Transaction) -> Bool {
        defer { transaction.end() }
        failure = nil
        do throws(DatabaseError) {
            for job in jobs { try transaction.run(part: job, rollingBackAlone: mayBeRolledBackAlone) }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    func fail(_ error: DatabaseError) {
        failure = error
        for job in jobs { job.fail(error) }
    }

    /// Returns the parts, so that each of them runs in a transaction of its own.
    func parts() -> [any Job] { jobs }
    var ranInParts: Bool { true }

    func outcomes() -> [any Job] {
        guard failure == nil else { return [self] }
        for (number, job) in jobs.enumerated() {
            job.repeats += repeats
            // The statistics are sums, so it does not matter which part the rest of a division is added to.
            job.roundTrips += roundTrips / jobs.count + (number == 0 ? roundTrips % jobs.count : 0)
            job.statements += statements / jobs.count + (number == 0 ? statements % jobs.count : 0)
        }
        return jobs
    }

    func answer() {
        for job in jobs { job.answer() }
    }
}
