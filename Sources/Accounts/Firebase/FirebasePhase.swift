/// The phase of the move from a project at Firebase, which the operator chooses.
package enum FirebasePhase: String, Sendable, CaseIterable {
    /// Calls of clients that carry nothing of this server's are forwarded to Firebase; no session moves.
    case pass
    /// Sessions at Firebase move at their first contact, each to one session here.
    case adopt
    /// The move is over: Firebase's tokens are refused.
    case off
}

/// The phase of the move, with the time of the switch.
package struct FirebaseMoveState: Sendable, Equatable {
    package var phase: FirebasePhase
    /// When the phase first became `adopt`, in milliseconds since 1970; `nil` before.
    package var adoptsSince: Int64?

    /// The state before the operator chose any phase.
    package static let initial = FirebaseMoveState(phase: .pass, adoptsSince: nil)
}

extension AccountFlows {
    private enum Name {
        static let phase = "firebase-phase"
        static let adoptsSince = "firebase-adopts-since"
        static let offSince = "firebase-off-since"
    }

    /// The time for which the phase `off` can be left, in milliseconds.
    ///
    /// Afterwards the records of the move are deleted. Without them, a session that has ended here could move again.
    private static let timeToReturn: Int64 = 30 * 86_400_000
    /// How much later the records are deleted, because clocks of nodes differ.
    private static let timeToDelete: Int64 = timeToReturn + 86_400_000

    /// Whether the records of a move from Firebase are to be deleted, because it has been off for so long that it cannot
    /// go on.
    package static func isFirebaseMoveOver(in store: some AccountStore) throws -> Bool {
        guard let offSince = try store.setting(Name.offSince).flatMap({ Int64($0) }) else { return false }
        return store.now > offSince + timeToDelete
    }

    /// Returns the phase of the move from Firebase.
    package func firebaseState(in store: some AccountStore) throws -> FirebaseMoveState {
        let phase = try store.setting(Name.phase).flatMap { FirebasePhase(rawValue: $0) } ?? .pass
        return FirebaseMoveState(phase: phase, adoptsSince: try store.setting(Name.adoptsSince).flatMap { Int64($0) })
    }

    /// Changes the phase of the move from Firebase, and records it in the audit log.
    ///
    /// The time of the first switch to `adopt` stays, so that switching back and forth admits no later session.
    ///
    /// - Returns: the new state.
    /// - Throws: ``FirebaseMoveOver`` if the phase has been `off` for 30 days.
    @discardableResult
    package func setFirebasePhase(_ phase: FirebasePhase, in store: some AccountStore) throws -> FirebaseMoveState {
        var state = try firebaseState(in: store)
        guard state.phase != phase else { return state }
        if let offSince = try store.setting(Name.offSince).flatMap({ Int64($0) }) {
            guard store.now <= offSince + Self.timeToReturn else { throw FirebaseMoveOver() }
            try store.removeSetting(Name.offSince)
        }
        state.phase = phase
        try store.set(Name.phase, to: phase.rawValue)
        if phase == .adopt, state.adoptsSince == nil {
            state.adoptsSince = store.now
            try store.set(Name.adoptsSince, to: String(store.now))
        }
        if phase == .off { try store.set(Name.offSince, to: String(store.now)) }
        try audit(.firebasePhaseChanged, detail: phase.rawValue, in: store)
        return state
    }

    /// Records a change to an imported user, who from then on is not refreshed from Firebase any more; does nothing
    /// unless a move from Firebase is configured.
    ///
    /// - Parameters:
    ///   - uid: the user.
    ///   - endsSessions: whether all sessions of the user have ended, so that earlier sessions at Firebase have too.
    ///   - store: the transaction.
    package func noteChange(ofImported uid: String, endsSessions: Bool, in store: some AccountStore) throws {
        guard policy.movesFromFirebase else { return }
        try store.noteFirebaseChange(of: uid, endsSessions: endsSessions)
    }
}

/// Thrown when the phase cannot be changed any more, because the move has been off for too long.
package struct FirebaseMoveOver: Error {}
