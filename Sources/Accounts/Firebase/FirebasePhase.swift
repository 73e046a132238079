/// The phase of the move from a project at Firebase, which the operator chooses.
package enum FirebasePhase: String, Sendable, CaseIterable {
    /// Calls of clients that carry nothing of this server's are forwarded to Firebase; no session moves.
    case pass
    /// Sessions at Firebase move at their first contact, each to one session here.
    case adopt
    /// The move is over: Firebase's tokens are refused.
    case off
}

/// The phase of the move, with the times of the changes, in milliseconds since 1970.
package struct FirebaseMoveState: Sendable, Equatable {
    package var phase: FirebasePhase
    /// When the phase first became `adopt`; `nil` before.
    package var adoptsSince: Int64?
    /// When the phase became `off`; `nil` in other phases.
    package var offSince: Int64?

    /// The time for which the phase `off` can be left, in milliseconds.
    ///
    /// Afterwards the records of the move are deleted. Without them, a session that has ended here could move again.
    private static let timeToReturn: Int64 = 30 * 86_400_000
    /// How much later the records are deleted, because clocks of nodes differ.
    private static let timeToDelete: Int64 = timeToReturn + 86_400_000

    /// The last moment at which the phase `off` can be left; `nil` in other phases.
    package var returnsUntil: Int64? { offSince.map { $0 + Self.timeToReturn } }

    /// Whether the move has been off for so long that it cannot go on.
    package func isOver(at now: Int64) -> Bool { returnsUntil.map { now > $0 } ?? false }

    /// Whether the move has been over for so long that its records are to be deleted.
    package func isForgotten(at now: Int64) -> Bool { offSince.map { now > $0 + Self.timeToDelete } ?? false }
}

extension AccountFlows {
    private enum Name {
        static let phase = "firebase-phase"
        static let adoptsSince = "firebase-adopts-since"
        static let offSince = "firebase-off-since"
    }

    /// Returns the phase of the move from Firebase, `pass` before the operator chose any.
    package static func firebaseState(in store: some AccountStore) throws -> FirebaseMoveState {
        func time(_ name: String) throws -> Int64? { try store.setting(name).flatMap { Int64($0) } }
        let phase = try store.setting(Name.phase).flatMap { FirebasePhase(rawValue: $0) } ?? .pass
        return FirebaseMoveState(
            phase: phase,
            adoptsSince: try time(Name.adoptsSince),
            offSince: phase == .off ? try time(Name.offSince) : nil
        )
    }

    /// Changes the phase of the move from Firebase, and records it in the audit log.
    ///
    /// The time of the first switch to `adopt` stays, so that switching back and forth admits no later session.
    ///
    /// - Returns: the new state.
    /// - Throws: ``FirebaseMoveOver`` if the phase has been `off` for 30 days.
    @discardableResult
    package func setFirebasePhase(_ phase: FirebasePhase, in store: some AccountStore) throws -> FirebaseMoveState {
        var state = try Self.firebaseState(in: store)
        guard state.phase != phase else { return state }
        guard !state.isOver(at: store.now) else { throw FirebaseMoveOver() }
        if state.offSince != nil { try store.removeSetting(Name.offSince) }
        state.phase = phase
        state.offSince = phase == .off ? store.now : nil
        try store.set(Name.phase, to: phase.rawValue)
        if phase == .adopt, state.adoptsSince == nil {
            state.adoptsSince = store.now
            try store.set(Name.adoptsSince, to: String(store.now))
        }
        if phase == .off { try store.set(Name.offSince, to: String(store.now)) }
        try audit(.firebasePhaseChanged, detail: phase.rawValue, in: store)
        return state
    }

    /// Records a change to an imported user.
    ///
    /// From then on the user is not refreshed from Firebase any more. Does nothing if no move from Firebase is configured.
    ///
    /// - Parameters:
    ///   - uid: the user.
    ///   - endsSessions: whether all sessions of the user have ended. Sessions at Firebase that began earlier are then
    ///     no longer accepted.
    ///   - store: the transaction.
    package func recordChange(ofImported uid: String, endsSessions: Bool, in store: some AccountStore) throws {
        guard policy.movesFromFirebase else { return }
        try store.recordFirebaseChange(of: uid, endsSessions: endsSessions)
    }
}

/// Thrown when the phase cannot be changed any more, because the move has been off for too long.
package struct FirebaseMoveOver: Error {}
