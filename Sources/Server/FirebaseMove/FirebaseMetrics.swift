internal import Accounts
internal import Synchronization
internal import Telemetry

/// What this node has counted of the move from Firebase.
final class FirebaseMetrics: Sendable {
    /// The outcomes of questions to Firebase.
    enum Outcome: String, CaseIterable {
        /// Firebase answered, whatever the answer.
        case answered
        /// Firebase did not answer, or with an error of its own.
        case failed
    }

    private struct Counts {
        var asked: [Outcome: Int] = [:]
        var moved = 0
        /// Refusals by their code, and undecided answers by their reason.
        ///
        /// There are few of either.
        var refused: [String: Int] = [:]
        /// What was counted since the counts of the installation were last stored, by their names.
        var unstored: [String: Int64] = [:]
        /// Forwarded sign-ups since they were last stored.
        var signUps: Int64 = 0
    }

    private let counts = Mutex(Counts())
    private let totals = Mutex<FirebaseTotals?>(nil)

    /// Counts a question.
    func count(_ outcome: Outcome) {
        counts.withLock { counts in
            counts.asked[outcome, default: 0] += 1
            counts.unstored["asked:\(outcome.rawValue)", default: 0] += 1
        }
    }

    /// Counts a session that moved.
    func countMoved() {
        counts.withLock { $0.moved += 1 }
    }

    /// Counts a refused token by the code that the client got, or an undecided one by the reason.
    func countRefused(_ name: String) {
        counts.withLock { counts in
            counts.refused[name, default: 0] += 1
            counts.unstored["refused:\(name)", default: 0] += 1
        }
    }

    /// Returns what was counted since the last call.
    func takeUnstored() -> [String: Int64] {
        counts.withLock { counts in
            defer { counts.unstored = [:] }
            return counts.unstored
        }
    }

    /// Counts a new account at Firebase, of which Google allows 100 an hour and address.
    func countSignUp() {
        counts.withLock { $0.signUps += 1 }
    }

    /// Returns the sign-ups since the last call.
    func takeSignUps() -> Int64 {
        counts.withLock { counts in
            defer { counts.signUps = 0 }
            return counts.signUps
        }
    }

    /// Adds counts that could not be stored to those that are still to be.
    func putBack(_ unstored: [String: Int64], signUps: Int64) {
        counts.withLock { counts in
            counts.unstored.merge(unstored, uniquingKeysWith: +)
            counts.signUps += signUps
        }
    }

    /// Replaces the numbers about the whole installation; `nil` while the move is off, when there are none.
    func record(_ numbers: FirebaseTotals?) {
        totals.withLock { $0 = numbers }
    }

    /// Writes what was counted on this node.
    ///
    /// - Parameters:
    ///   - isPaused: whether sessions cannot move because Firebase does not answer.
    ///   - now: milliseconds since 1970.
    func write(isPaused: Bool, at now: Int64, to text: inout Exposition) {
        let counts = counts.withLock(\.self)
        text.counter(
            "latchkey_firebase_questions",
            "Questions to Firebase by their outcome.",
            Outcome.allCases.map { ([("outcome", $0.rawValue)], Double(counts.asked[$0] ?? 0)) }
        )
        text.counter("latchkey_firebase_moved_sessions", "Sessions at Firebase that moved here.", counts.moved)
        text.counter(
            "latchkey_firebase_refusals",
            "Refused tokens of Firebase by the code of the answer, and undecided ones by the reason.",
            counts.refused.sorted { $0.key < $1.key }.map { ([("code", $0.key)], Double($0.value)) }
        )
        text.gauge(
            "latchkey_firebase_paused",
            "1 while Firebase is not asked because it does not answer, otherwise 0.",
            isPaused ? 1 : 0
        )
        guard let totals = totals.withLock(\.self) else { return }
        text.gauge(
            "latchkey_firebase_unmoved_users",
            "Users of the project at Firebase without a session that moved.",
            Double(totals.unmovedUsers)
        )
        text.gauge(
            "latchkey_firebase_oldest_unmoved_seconds",
            "The longest time since a user who has not moved was last seen.",
            totals.oldestUnmovedSeenAt.map { Double(max(0, now - $0) / 1000) }
        )
    }
}
