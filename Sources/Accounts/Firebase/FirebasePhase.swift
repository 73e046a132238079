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
    @discardableResult
    package func setFirebasePhase(_ phase: FirebasePhase, in store: some AccountStore) throws -> FirebaseMoveState {
        var state = try firebaseState(in: store)
        guard state.phase != phase else { return state }
        state.phase = phase
        try store.set(Name.phase, to: phase.rawValue)
        if phase == .adopt, state.adoptsSince == nil {
            state.adoptsSince = store.now
            try store.set(Name.adoptsSince, to: String(store.now))
        }
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
