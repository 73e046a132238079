internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Network
internal import Tokens

extension Services {
    /// Handles a call that was refused because of a token that is not this server's, if the token is one of the project
    /// at Firebase: moves its session here, puts a token of the new session in its place, and handles the call again.
    ///
    /// Nothing runs for calls that are not refused, so that moving costs them nothing.
    ///
    /// - Parameters:
    ///   - refusal: the refusal of the decoded request.
    ///   - request: the request.
    ///   - isGuarded: as in ``judging(_:guarded:_:)``.
    ///   - retry: handles a request like this one.
    /// - Returns: `nil` if the refusal stands.
    func adopting(
        _ refusal: Refusal,
        _ request: Request,
        guarded isGuarded: Bool,
        _ retry: @escaping @Sendable (Request) throws -> Handling
    ) -> Handling? {
        guard let move = firebaseMove, refusal.code == .invalidIDToken || refusal.code == .invalidRefreshToken,
            !refusal.isOfValid, move.phase != .pass, let token = foreignToken(in: request, move)
        else { return nil }
        return .awaiting {
            do {
                let own = try await self.ownToken(for: token, in: request, move)
                return { try retry(token.replaced(by: own, in: request)) }
            } catch let ending as Refusal {
                move.metrics.countRefused(ending.code.rawValue)
                throw self.judge(ending, of: request, guarded: isGuarded)
            } catch let undecided as FirebaseUndecided {
                move.metrics.countRefused(undecided.reason.rawValue)
                return { .response(undecided.response) }
            } catch is WrongFirebaseKey {
                return { .response(self.refuseFirebaseKey()) }
            } catch is NotOfFirebase {
                throw self.judge(refusal, of: request, guarded: isGuarded)
            } catch {
                move.metrics.countRefused(FirebaseUndecided.Reason.own.rawValue)
                self.sampler("firebase.not-moved", "reason", detail: "\(error)")
                return { .response(FirebaseUndecided(.own).response) }
            }
        }
    }

    /// Returns the token of a request that may be one of the project at Firebase.
    private func foreignToken(in request: Request, _ move: FirebaseMove) -> ForeignToken? {
        if Self.tokenPaths.contains(request.path) {
            guard let text = (try? RefreshParameters(request))?.refreshToken, !RefreshToken.hasShape(text) else {
                return nil
            }
            return ForeignToken(text: text, place: .refreshToken)
        }
        func isOfProject(_ text: String) -> Bool {
            JWT.unverifiedClaims(of: text)?["iss"] == .string(move.configuration.issuer)
        }
        if let bearer = bearer(of: request), isOfProject(bearer) { return ForeignToken(text: bearer, place: .bearer) }
        guard let body = try? RequestBody(request) else { return nil }
        for name in ["idToken", "id_token", "anonymousIdToken", "anonymous_id_token"] {
            if let text = body.object[name]?.string, isOfProject(text) {
                return ForeignToken(text: text, place: .member(name))
            }
        }
        return nil
    }

    /// Returns a token of this server's for the session of Firebase's token, which moves here if it has not.
    private func ownToken(for token: ForeignToken, in request: Request, _ move: FirebaseMove) async throws -> String {
        if case .refreshToken = token.place {
            return try await ownRefreshToken(for: token.text, in: request, move)
        }
        let foreign = try await verified(token.text, move)
        let adopted = try await adopted(foreign, token, in: request, move)
        var session = adopted.session
        session.lastUsedAt = max(session.lastUsedAt, clock())
        return try idTokens.sign(adopted.user, session: session, identities: adopted.identities)
    }

    /// Returns the refresh token of the session that a refresh token of Firebase became, or becomes now.
    private func ownRefreshToken(for text: String, in request: Request, _ move: FirebaseMove) async throws -> String {
        let digests = try flows.firebaseTokenDigests(text)
        guard let digest = digests.first else { throw FirebaseUndecided(.own) }
        let known = try await database.read(kind: "AdoptedToken") { [flows] transaction in
            try flows.adopted(token: digests, in: transaction)
        }
        if let known { return try refreshToken(of: known.session.sid, generation: known.session.generation) }
        guard move.isOpen(at: clock()) else { throw FirebaseUndecided(.over) }
        guard let key = firebaseKey(of: request, move) else { throw WrongFirebaseKey() }
        if move.refused.contains(digest, at: clock()) { throw Refusal(.invalidRefreshToken) }
        let asker = FirebaseAsker(key: key, of: request, admits: webOrigins.admits)
        return try await move.flights.share(digest) {
            let tokens: FirebaseTokenSet
            do {
                tokens = try await self.exchangeAtFirebase(text, asker, for: request.clientAddress, move)
            } catch let refusal as Refusal where refusal.code == .invalidRefreshToken {
                move.refused.insert(digest, at: self.clock())
                throw refusal
            }
            let foreign: FirebaseSession
            do { foreign = try await self.verified(tokens.idToken, move) } catch is NotOfFirebase {
                // What Firebase itself answers says nothing about the user if it does not verify.
                throw FirebaseUndecided(.refused)
            }
            let adopted = try await self.adopt(foreign, tokens.idToken, digest: digest, asker, request, move)
            return try self.refreshToken(of: adopted.session.sid, generation: adopted.session.generation)
        }
    }

    /// Verifies an ID token of the project.
    ///
    /// - Throws: ``NotOfFirebase`` for a token that is not one; ``FirebaseUndecided`` for an expired one, and without
    ///   the keys.
    private func verified(_ text: String, _ move: FirebaseMove) async throws -> FirebaseSession {
        do {
            switch try move.tokens.checkForMove(text, at: clock()) {
            case .known(let session): return session
            case .awaitingKeys(let check): return try await check()
            }
        } catch let refusal as Refusal {
            if refusal.code == .providerUnavailable { throw FirebaseUndecided(.keys) }
            // That an ID token has expired does not end its session.
            if refusal == FirebaseTokens.expired { throw FirebaseUndecided(.refused) }
            throw NotOfFirebase()
        } catch is JWTError {
            throw NotOfFirebase()
        }
    }

    /// Returns the session that the session of a verified ID token became, or becomes now.
    private func adopted(
        _ foreign: FirebaseSession,
        _ token: ForeignToken,
        in request: Request,
        _ move: FirebaseMove
    ) async throws -> AdoptedSession {
        let known = try await database.read(kind: "AdoptedSession") { [flows] transaction in
            try flows.adopted(foreign, in: transaction)
        }
        if let known { return known }
        guard move.isOpen(at: clock()) else { throw FirebaseUndecided(.over) }
        // Calls with a bearer, such as those on documents, have no API key.
        let ownKey = bearer(of: request) == nil ? nil : move.configuration.apiKeys.first
        guard let key = firebaseKey(of: request, move) ?? ownKey else { throw WrongFirebaseKey() }
        let asker = FirebaseAsker(key: key, of: request, admits: webOrigins.admits)
        return try await adopt(foreign, token.text, digest: nil, asker, request, move)
    }

    /// Moves a session, after a look-up at Firebase if its user must be made or refreshed.
    private func adopt(
        _ foreign: FirebaseSession,
        _ idToken: String,
        digest: String?,
        _ asker: FirebaseAsker,
        _ request: Request,
        _ move: FirebaseMove
    ) async throws -> AdoptedSession {
        let opening = try opening(for: request)
        func attempt(_ account: ImportedUser?) async throws -> AdoptedSession {
            do {
                return try await database.write(kind: "AdoptSession") { [flows] transaction in
                    try flows.adopt(foreign, account: account, token: digest, opening: opening, in: transaction)
                } committed: { adopted in
                    self.committed(adopted, move)
                }
            } catch let undecided as FirebaseMoveUndecided {
                self.sampler("firebase.not-moved", "reason", detail: undecided.reason)
                throw FirebaseUndecided(.own)
            }
        }
        do { return try await attempt(nil) } catch is FirebaseAccountNeeded {
            return try await attempt(lookUpAtFirebase(idToken, asker, for: request.clientAddress, move))
        }
    }

    /// Logs and counts a session that has moved.
    private func committed(_ adopted: AdoptedSession, _ move: FirebaseMove) {
        guard adopted.isNewSession else { return }
        move.metrics.countMoved()
        let signedIn = adopted.signedIn
        signIns.record(signedIn, remembersClient: false)
        if adopted.isNewUser { log("user.created", signedIn) }
        log("user.moved", signedIn)
        wake.hookWorkers()
    }
}

/// Thrown when a call names an API key that is not one of the project at Firebase.
private struct WrongFirebaseKey: Error {}

/// Thrown for a token that is not one of the project at Firebase, so that the refusal of the call stands.
private struct NotOfFirebase: Error {}

/// A token in a request that may be one of the project at Firebase.
private struct ForeignToken: Sendable {
    enum Place: Sendable {
        case refreshToken
        case bearer
        /// A member of the JSON body, by its name as written.
        case member(String)
    }

    let text: String
    let place: Place

    /// Returns the request with another token in the place of this one.
    func replaced(by token: String, in request: Request) -> Request {
        switch place {
        case .refreshToken:
            return request.replacing(
                body: Array("grant_type=refresh_token&refresh_token=\(token)".utf8),
                headers: [("Content-Type", "application/x-www-form-urlencoded")]
            )
        case .bearer:
            return request.replacing(body: request.body, headers: [("Authorization", "Bearer \(token)")])
        case .member(let name):
            guard var object = (try? RequestBody(request))?.object else { return request }
            object[name] = .string(token)
            return request.replacing(body: JSONValue.object(object).serialized())
        }
    }
}
