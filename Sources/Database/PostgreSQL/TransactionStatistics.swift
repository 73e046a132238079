internal import Synchronization

/// The transaction statistics of one kind of closure.
package struct TransactionStatistics: Sendable, Hashable {
    /// The purpose of the closures, as given with each.
    package let kind: String
    /// The kind of closures that were given no name, which are those of commands.
    package static let unnamed = "other"
    /// The number of calls whose closures ran and have ended, including those in ``failures``.
    package var closures = 0
    /// The number of retries because of conflicts.
    package var repeats = 0
    /// The number of closures that ran again as serializable transactions, because of what they found.
    ///
    /// These runs are not in ``repeats``.
    package var promotions = 0
    /// The number of closures that were given up, after conflicts or broken connections.
    package var failures = 0
    /// The number of waits for an answer of the server.
    package var roundTrips = 0
    /// The number of statements sent, without those that begin and end transactions.
    package var statements = 0

    /// The mean number of round trips of one run, to one decimal place.
    ///
    /// A closure that was retried counts as several runs.
    package var roundTripsPerRun: Double {
        let runs = closures + repeats + promotions
        return runs == 0 ? 0 : (10 * Double(roundTrips) / Double(runs)).rounded() / 10
    }

    /// The numbers of retries, closures and failures, for a log line.
    package var repetition: String {
        "\(kind) \(repeats) times for \(closures)" + (failures > 0 ? ", \(failures) failed" : "")
    }

    /// The number of closures, their mean round trips and statements, and the retries, for a log line.
    package var cost: String {
        "\(kind) \(closures) (\(Self.mean(roundTrips, closures)) round trips, \(Self.mean(statements, closures)) statements, "
            + "\(repeats) repeats\(promotions > 0 ? ", \(promotions) made serializable" : ""))"
    }

    private static func mean(_ sum: Int, _ count: Int) -> String {
        let tenths = count == 0 ? 0 : (10 * sum + count / 2) / count
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Collects the transaction statistics.
final class StatisticsCollector: Sendable {
    private struct Counts {
        var all: [String: TransactionStatistics] = [:]
        /// The statistics at the last report.
        var reported: [String: TransactionStatistics] = [:]
    }

    private let counts = Mutex(Counts())

    /// Adds the cost of a closure that has ended.
    ///
    /// - Parameters:
    ///   - job: the closure.
    ///   - inVain: whether the closure was given up.
    func record(_ job: any Job, inVain: Bool) {
        counts.withLock { counts in
            var statistics = counts.all[job.kind] ?? TransactionStatistics(kind: job.kind)
            statistics.closures += job.count
            statistics.repeats += job.repeatsOfCalls
            statistics.promotions += job.needs.serializable ? job.count : 0
            statistics.failures += inVain ? job.count : 0
            statistics.roundTrips += job.roundTrips
            statistics.statements += job.statements
            counts.all[job.kind] = statistics
        }
    }

    /// The statistics of all kinds since the start, sorted by kind.
    var all: [TransactionStatistics] {
        counts.withLock { counts in counts.all.values.sorted { $0.kind < $1.kind } }
    }

    /// Returns the kinds with retries since the last call, with their statistics since then, except those of round
    /// trips and statements.
    func repetitions() -> [TransactionStatistics] {
        counts.withLock { counts in
            defer { counts.reported = counts.all }
            return counts.all.values.compactMap { now in
                let before = counts.reported[now.kind] ?? TransactionStatistics(kind: now.kind)
                guard now.repeats > before.repeats else { return nil }
                return TransactionStatistics(
                    kind: now.kind,
                    closures: now.closures - before.closures,
                    repeats: now.repeats - before.repeats,
                    failures: now.failures - before.failures
                )
            }
            .sorted { $0.repeats > $1.repeats }
        }
    }
}
