internal import Synchronization

/// What the closures of one kind came to.
package struct Tally: Sendable, Hashable {
    /// What they were for.
    package let kind: String
    /// How many there were.
    package var closures = 0
    /// How often one of them ran again because others got in its way.
    package var repeats = 0
    /// How many of them were given up.
    package var failures = 0
    /// How often they waited for an answer of the server.
    package var roundTrips = 0
    /// How many statements they sent, those that begin and end transactions not counted.
    package var statements = 0

    /// How often they ran again, for a log line.
    package var repetition: String {
        "\(kind) \(repeats) times for \(closures)" + (failures > 0 ? ", \(failures) in vain" : "")
    }

    /// What one of them costs, for a log line.
    package var cost: String {
        "\(kind) \(closures) (\(Self.mean(roundTrips, closures)) round trips, \(Self.mean(statements, closures)) statements, "
            + "\(repeats) repeats)"
    }

    private static func mean(_ sum: Int, _ count: Int) -> String {
        let tenths = count == 0 ? 0 : (10 * sum + count / 2) / count
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Counts them.
final class Tallies: Sendable {
    private struct Counts {
        var all: [String: Tally] = [:]
        /// As the log has them.
        var reported: [String: Tally] = [:]
    }

    private let counts = Mutex(Counts())

    /// Notes a closure that has come to its end.
    func note(_ job: any Job, inVain: Bool) {
        counts.withLock { counts in
            var tally = counts.all[job.kind] ?? Tally(kind: job.kind)
            tally.closures += 1
            tally.repeats += job.repeats
            tally.failures += inVain ? 1 : 0
            tally.roundTrips += job.roundTrips
            tally.statements += job.statements
            counts.all[job.kind] = tally
        }
    }

    /// All that was counted, by kind.
    var all: [Tally] {
        counts.withLock { counts in counts.all.values.sorted { $0.kind < $1.kind } }
    }

    /// The kinds that had repetitions since this was asked last, with what was counted since then.
    func repetitions() -> [Tally] {
        counts.withLock { counts in
            defer { counts.reported = counts.all }
            return counts.all.values.compactMap { now in
                let before = counts.reported[now.kind] ?? Tally(kind: now.kind)
                guard now.repeats > before.repeats else { return nil }
                return Tally(
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
