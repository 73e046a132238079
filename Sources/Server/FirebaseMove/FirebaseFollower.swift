internal import AccountDatabase
internal import Accounts
internal import Database
internal import JSON

/// Follows the phase of the move, and stores what this node has counted and seen.
struct FirebaseFollower: Sendable {
    /// How long before the end of the exchange the log warns, in milliseconds.
    private static let warning: Int64 = 14 * 86_400_000
    /// The time between two readings of the numbers of users, and between two warnings, in milliseconds.
    private static let totalsInterval: Int64 = 60_000
    private static let warningInterval: Int64 = 86_400_000

    let services: Services
    let move: FirebaseMove

    /// Works once a second until its task is cancelled, and then stores what is left.
    func run(every interval: Duration) async {
        var totalsAt: Int64 = 0, warnedAt: Int64 = 0
        var isKnownToFail = false
        while !Task.isCancelled {
            do {
                try await follow()
                try await store()
                let now = services.clock()
                move.refused.expire(at: now)
                if move.phase == .off {
                    // No session moves any more, and the records are deleted 31 days later.
                    move.metrics.record(nil)
                    totalsAt = 0
                } else if now - totalsAt >= Self.totalsInterval {
                    totalsAt = now
                    let totals = try await services.database.read(kind: "metrics", mayLag: true) {
                        try $0.firebaseTotals()
                    }
                    move.metrics.record(totals)
                    if now - warnedAt >= Self.warningInterval { warnedAt = warn(totals, at: now) ? now : warnedAt }
                }
                isKnownToFail = false
            } catch {
                if !isKnownToFail { services.logger("firebase.not-followed", ("reason", .string("\(error)"))) }
                isKnownToFail = true
            }
            try? await Task.sleep(for: min(interval, .seconds(1)))
        }
        try? await store()
    }

    /// Reads the phase.
    private func follow() async throws {
        let state = try await services.database.read(kind: "FirebasePhase") {
            try AccountFlows.firebaseState(in: $0)
        }
        if move.use(state.phase) { services.logger("firebase.phase", ("phase", .string(state.phase.rawValue))) }
    }

    /// Stores counts and sightings, at most 500 users in a transaction.
    private func store() async throws {
        let counts = move.metrics.takeUnstored()
        let signUps = move.metrics.takeSignUps()
        let isPaused = move.isPaused(at: services.clock())
        if !counts.isEmpty || signUps > 0 || isPaused {
            do {
                try await services.database.write(kind: "FirebaseCounts") { transaction in
                    for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                        try transaction.addFirebaseCount(name, by: count)
                    }
                    if isPaused { try transaction.raiseFirebaseCount("paused-at", to: transaction.now) }
                    if signUps > 0 {
                        _ = try transaction.count(Self.signUps, by: signUps, in: Self.signUpWindow)
                    }
                }
            } catch {
                move.metrics.putBack(counts, signUps: signUps)
                throw error
            }
        }
        while true {
            let seen = move.sightings.take(500)
            guard !seen.isEmpty else { return }
            do {
                try await services.database.write(kind: "FirebaseUsers") { try $0.recordFirebaseSightings(seen) }
            } catch {
                for sighting in seen { move.sightings.record(sighting) }
                throw error
            }
        }
    }

    /// The counter of sign-ups that were forwarded in this hour.
    static let signUps = "firebase:sign-ups"
    static let signUpWindow: Int64 = 3_600_000

    /// Warns of the end of the exchange.
    ///
    /// - Returns: whether it is near.
    private func warn(_ totals: FirebaseTotals, at now: Int64) -> Bool {
        guard now > move.tokens.exchangeUntil - Self.warning else { return false }
        services.logger(
            "firebase.ending",
            ("exchangeUntil", .string(Timestamp.rfc3339(milliseconds: move.tokens.exchangeUntil))),
            ("sessions", .number(JSONNumber(totals.unmovedSessions))),
            ("users", .number(JSONNumber(totals.unmovedUsers)))
        )
        return true
    }
}
