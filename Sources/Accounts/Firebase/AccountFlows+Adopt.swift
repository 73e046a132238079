internal import JSON

extension AccountFlows {
    /// Moves a session at Firebase here, once: makes the user if needed and the one session that it becomes, or returns
    /// the session that it has become.
    ///
    /// This is not a sign-in. The session keeps the time and the provider of the sign-in at Firebase, and that time
    /// never counts as recent. Its refresh token is fixed, so that every tab that shares the old one gets the same.
    ///
    /// - Parameters:
    ///   - foreign: the session at Firebase.
    ///   - account: the user as Firebase's look-up describes them; `nil` if they were not looked up.
    ///   - digest: the keyed hash of the refresh token that was presented, under the newest secret; `nil` for an ID
    ///     token.
    ///   - opening: the session to open.
    ///   - store: the transaction.
    /// - Throws: ``FirebaseAccountNeeded`` if the user must be looked up first; ``FirebaseMoveUndecided``; ``Refusal``
    ///   TOKEN_EXPIRED (everything ended since, an anonymous token for a permanent user, a user who did not come from
    ///   Firebase, an administrator, a session that began too late, or the move is over), USER_DISABLED, USER_NOT_FOUND
    ///   (deleted or merged).
    package func adopt(
        _ foreign: FirebaseSession,
        account: ImportedUser?,
        token digest: String?,
        opening: SessionOpening,
        in store: some AccountStore
    ) throws -> AdoptedSession {
        if let known = try adopted(foreign, in: store) {
            if let digest { try store.insertAdoptedToken(digest, sid: known.session.sid, uid: known.user.uid) }
            return known
        }
        try store.prefetch { store in
            _ = try store.setting("firebase-adopts-since")
            _ = try store.administrators()
            _ = try store.user(foreign.uid)
            _ = try store.formerUser(foreign.uid)
            _ = try store.firebaseUser(foreign.uid)
            _ = try store.hasSession(foreign.uid)
        }
        let known = try store.user(foreign.uid)
        try refuseOutsider(foreign, known, in: store)
        let user = try user(of: foreign, known, account, in: store)
        guard !user.isDisabled else { throw Refusal(.userDisabled) }
        // An anonymous session must not give access to an account, here or there.
        guard user.isAnonymous || foreign.provider != .anonymous else { throw Refusal(.tokenExpired) }
        guard !isOver(signedInAt: foreign.authTime, isGuests: user.isAnonymous, at: store.now) else {
            throw Refusal(.tokenExpired)
        }
        var session = Session(
            SessionOpening(sid: opening.sid, rotates: false, device: opening.device, network: opening.network),
            uid: user.uid,
            provider: user.isAnonymous ? .anonymous : foreign.provider,
            at: store.now
        )
        session.authTime = min(foreign.authTime, session.authTime)
        session.exchangedAt = store.now
        session.claims = foreign.claims.flatMap { Self.claims($0, without: user.customAttributes) }
        guard try store.insertAdoptedSession(session.sid, of: user.uid, authTime: foreign.authTime) else {
            throw FirebaseMoveUndecided("the session moves on another node")
        }
        try store.insert(session)
        if let digest { try store.insertAdoptedToken(digest, sid: session.sid, uid: user.uid) }
        // The user first, as with every change of an imported user.
        try store.touchUser(user.uid)
        try store.recordFirebaseMove(of: user.uid, isGuest: user.isAnonymous)
        if known == nil {
            try audit(.userCreated, uid: user.uid, in: store)
            try announce(.userCreated, user.uid, isAnonymous: user.isAnonymous, in: store)
        }
        try audit(.userExchanged, uid: user.uid, detail: "firebase", in: store)
        try announce(.userExchanged, user.uid, isAnonymous: user.isAnonymous, session: session.sid, in: store)
        return AdoptedSession(
            user: user,
            session: session,
            identities: try store.identities(of: user.uid),
            isNewSession: true,
            isNewUser: known == nil
        )
    }

    /// Refuses a session that may never move here, for any user at Firebase.
    private func refuseOutsider(_ foreign: FirebaseSession, _ known: User?, in store: some AccountStore) throws {
        // Otherwise passwords and sign-ups at Firebase would go on opening accounts here.
        guard let adoptsSince = try Self.firebaseState(in: store).adoptsSince,
            foreign.authTime <= (adoptsSince + policy.lateSignIns) / 1000
        else { throw Refusal(.tokenExpired) }
        guard try !store.administrators().contains(foreign.uid) else { throw Refusal(.tokenExpired) }
        guard let known else {
            if try store.formerUser(foreign.uid) != nil { throw Refusal(.userNotFound) }
            return
        }
        guard !known.isDisabled else { throw Refusal(.userDisabled) }
        // Either the user never came from Firebase, or the user there may be another person by now.
        guard let importedAt = known.importedAt else { throw Refusal(.tokenExpired) }
        guard known.mergeID == nil else { throw FirebaseMoveUndecided("the user is being merged") }
        // An import sets `validSince` too, which is no revocation.
        let revokedAt = known.validSince > importedAt / 1000 ? known.validSince : 0
        let endedAt = try store.firebaseUser(foreign.uid)?.endedAt.map { $0 / 1000 } ?? 0
        guard foreign.authTime > max(revokedAt, endedAt) else { throw Refusal(.tokenExpired) }
    }

    /// Returns the claims of a custom token: those of the session that are not the user's own.
    private static func claims(_ text: String, without usersOwn: String?) -> String? {
        guard let all = try? JSONValue.parse(text).object else { return nil }
        let known = usersOwn.flatMap { try? JSONValue.parse($0).object } ?? JSONObject()
        var claims = JSONObject()
        for claim in all.members where known[claim.name] != claim.value { claims[claim.name] = claim.value }
        return claims.isEmpty ? nil : try? CustomClaims(.object(claims)).json
    }
}
