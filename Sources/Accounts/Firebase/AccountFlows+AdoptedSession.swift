internal import Tokens

extension AccountFlows {
    /// The purpose of the keyed hashes of Firebase's refresh tokens.
    private static let tokenPurpose = "firebase-refresh-token"

    /// Returns the keyed hashes of a refresh token of Firebase under all secrets, the newest first.
    ///
    /// - Throws: `CryptoError` only when OpenSSL fails.
    package func firebaseTokenDigests(_ token: String) throws -> [String] {
        try KeyedHash.all(token, purpose: Self.tokenPurpose, secrets: secrets)
    }

    /// Returns the session that a refresh token of Firebase became; `nil` if the token was never presented here.
    ///
    /// - Parameter digests: the keyed hashes of the token (``firebaseTokenDigests(_:)``).
    /// - Throws: as ``adopted(_:in:)`` does.
    package func adopted(token digests: [String], in store: some AccountStore) throws -> AdoptedSession? {
        try store.prefetch { store in
            _ = try store.setting("firebase-phase")
            _ = try store.adoptedSession(ofToken: digests)
        }
        try requireAdoption(in: store)
        guard let found = try store.adoptedSession(ofToken: digests) else { return nil }
        return try live(found.sid, of: found.uid, in: store)
    }

    /// Returns the session that a session at Firebase became; `nil` if it has not moved.
    ///
    /// - Throws: ``Refusal`` TOKEN_EXPIRED if the session here has ended or the move is over, USER_DISABLED,
    ///   USER_NOT_FOUND (deleted or merged); ``FirebaseMoveUndecided`` in the phase `pass`.
    package func adopted(_ foreign: FirebaseSession, in store: some AccountStore) throws -> AdoptedSession? {
        try store.prefetch { store in
            _ = try store.setting("firebase-phase")
            _ = try store.adoptedSession(of: foreign.uid, authTime: foreign.authTime)
        }
        try requireAdoption(in: store)
        guard let sid = try store.adoptedSession(of: foreign.uid, authTime: foreign.authTime) else { return nil }
        return try live(sid, of: foreign.uid, in: store)
    }

    /// Refuses every phase but `adopt`.
    ///
    /// - Throws: ``Refusal`` TOKEN_EXPIRED once the move is over; ``FirebaseMoveUndecided`` before it begins.
    private func requireAdoption(in store: some AccountStore) throws {
        switch try store.setting("firebase-phase").flatMap({ FirebasePhase(rawValue: $0) }) ?? .pass {
        case .adopt: break
        case .pass: throw FirebaseMoveUndecided("the phase has changed")
        case .off: throw Refusal(.tokenExpired)
        }
    }

    /// Returns a session that moved earlier, with its user.
    ///
    /// - Throws: ``Refusal`` TOKEN_EXPIRED if the session has ended, USER_DISABLED, USER_NOT_FOUND (deleted or merged).
    func live(_ sid: String, of uid: String, in store: some AccountStore) throws -> AdoptedSession {
        guard let found = try store.sessionAndUser(sid) else {
            // Deleted with its user, or unused for so long that it was purged.
            throw Refusal(try store.user(uid) == nil ? .userNotFound : .tokenExpired)
        }
        let session = found.session
        // For a minute the client may have a newer session, as everywhere.
        if session.wasReplaced(at: store.now) { throw Refusal(.tokenExpired, session: session, at: store.now) }
        guard let user = found.user else { throw Refusal(.userNotFound) }
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        guard session.createdAt / 1000 >= user.validSince, isAlive(session, of: user, at: store.now) else {
            throw Refusal(.tokenExpired)
        }
        return AdoptedSession(
            user: user,
            session: session,
            identities: try store.identities(of: uid),
            isNewSession: false,
            isNewUser: false
        )
    }
}
