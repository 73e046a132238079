internal import AccountDatabase
internal import Accounts
internal import Database

/// The state of the move from a project at Firebase, for the operator.
package struct FirebaseReport: Sendable, Encodable {
    /// A user of the project, with times in RFC 3339.
    package struct User: Sendable, Encodable {
        package let uid: String
        package let guest: Bool?
        package let seenAt: String?
        package let movedAt: String?
        package let refreshedThereAt: String?

        init(_ user: FirebaseUserReport) {
            uid = user.uid
            guest = user.isGuest
            seenAt = user.seenAt.map(Timestamp.rfc3339)
            movedAt = user.movedAt.map(Timestamp.rfc3339)
            refreshedThereAt = user.refreshedThereAt.map(Timestamp.rfc3339)
        }
    }

    /// `pass`, `adopt` or `off`.
    package let phase: String
    /// When the phase first became `adopt`, as RFC 3339.
    package let adoptsSince: String?
    /// When the phase became `off`, as RFC 3339; `nil` in other phases.
    package let offSince: String?
    /// Until when the phase `off` can be left, as RFC 3339; `nil` in other phases.
    package let returnsUntil: String?
    /// Whether the move has been off for so long that it cannot go on.
    ///
    /// There are no counts and users then.
    package let isOver: Bool
    /// The end of the setting `firebase.exchangeUntil`, as RFC 3339.
    package let exchangeUntil: String
    package let movedUsers: Int64
    package let movedSessions: Int64
    /// Those of them that moved by an ID token only, so that the browser still has Firebase's refresh token.
    package let unrefreshedSessions: Int64
    package let unmovedUsers: Int64
    package let unmovedGuests: Int64
    /// A lower bound of the sessions that have not moved: one for each user who was seen at Firebase and has not moved.
    package let unmovedSessions: Int64
    /// Users who have moved, the latest first.
    package let moved: [User]
    /// Users who have not moved, the most recently seen first.
    package let unmoved: [User]
    /// Users who refreshed a token at Firebase after they moved, as the newest import says.
    package let returning: [User]
    /// Questions to Firebase by their outcome.
    package let asked: [String: Int64]
    /// Refused tokens by the code of the answer, and undecided ones by the reason.
    package let refused: [String: Int64]
    /// Accounts that were made at Firebase in this hour through this server, of which Google allows 100 from an
    /// address.
    package let signUpsThisHour: Int64
    /// Whether Firebase is not asked because it does not answer.
    package let isPaused: Bool
}

extension Operator {
    /// Reports the state of the move from Firebase; changes nothing.
    ///
    /// - Parameter limit: the maximum number of users in each list.
    /// - Throws: ``Failure/noFirebaseMove``.
    package func firebaseStatus(limit: Int) throws -> FirebaseReport {
        let firebase = try movingFirebase()
        return try store.database.readNow { transaction in
            let state = try AccountFlows.firebaseState(in: transaction)
            // The records are deleted in batches, and what is left of them says nothing.
            let isOver = state.isOver(at: transaction.now)
            let limit = isOver ? 0 : limit
            let totals = isOver ? FirebaseTotals() : try transaction.firebaseTotals()
            let recorded = isOver ? [] : try transaction.firebaseCounts()
            let counts = Dictionary(uniqueKeysWithValues: recorded.map { ($0.name, $0.value) })
            func counted(_ prefix: String) -> [String: Int64] {
                var counted: [String: Int64] = [:]
                for (name, count) in counts where name.hasPrefix(prefix) {
                    counted[String(name.dropFirst(prefix.count))] = count
                }
                return counted
            }
            return FirebaseReport(
                phase: state.phase.rawValue,
                adoptsSince: state.adoptsSince.map(Timestamp.rfc3339),
                offSince: state.offSince.map(Timestamp.rfc3339),
                returnsUntil: state.returnsUntil.map(Timestamp.rfc3339),
                isOver: isOver,
                exchangeUntil: Timestamp.rfc3339(milliseconds: firebase.exchangeUntil),
                movedUsers: totals.movedUsers,
                movedSessions: totals.movedSessions,
                unrefreshedSessions: max(0, try totals.movedSessions - transaction.countAdoptedSessionsWithToken()),
                unmovedUsers: totals.unmovedUsers,
                unmovedGuests: totals.unmovedGuests,
                unmovedSessions: totals.unmovedSessions,
                moved: try transaction.movedFirebaseUsers(limit: limit).map(FirebaseReport.User.init),
                unmoved: try transaction.unmovedFirebaseUsers(limit: limit).map(FirebaseReport.User.init),
                returning: try transaction.returningFirebaseUsers(limit: limit).map(FirebaseReport.User.init),
                asked: counted("asked:"),
                refused: counted("refused:"),
                signUpsThisHour: try transaction.used(
                    FirebaseFollower.signUps,
                    in: FirebaseFollower.signUpWindow
                ).used,
                isPaused: (counts["paused-at"] ?? 0) > transaction.now - 10_000
            )
        }
    }

    /// Changes the phase of the move from Firebase.
    ///
    /// Running servers follow within a second.
    ///
    /// - Parameter phase: `pass`, `adopt` or `off`.
    /// - Throws: ``Failure/noFirebaseMove``, ``Failure/firebaseMoveOver``.
    package func setFirebasePhase(_ phase: String) throws {
        _ = try movingFirebase()
        guard let phase = FirebasePhase(rawValue: phase) else { throw Failure.noFirebaseMove }
        try store.database.writeNow { [flows] transaction in
            do { try flows.setFirebasePhase(phase, in: transaction) } catch is FirebaseMoveOver {
                throw Failure.firebaseMoveOver
            }
        }
    }

    private func movingFirebase() throws -> FirebaseConfiguration {
        guard let firebase = configuration.firebase, !firebase.apiKeys.isEmpty else { throw Failure.noFirebaseMove }
        return firebase
    }
}
