internal import Synchronization

extension Auth {
    /// Moves all data of an anonymous user to the signed-in user, and deletes the anonymous user.
    ///
    /// For an app that signed in first and kept the token of the previous guest. The server merges completely or not at
    /// all, and returns the same report for the same call, so a lost answer does no harm.
    ///
    /// - Parameter anonymousIDToken: an earlier ID token of the anonymous user, from ``idToken(forcingRefresh:)``.
    /// - Returns: what was moved.
    /// - Throws: ``AuthError/Code/noCurrentUser``, ``AuthError/Code/notAnonymous``, ``AuthError/Code/notPermanent``;
    ///   ``AuthError/Code/mergeRefused``, ``AuthError/Code/mergeFailed`` and ``AuthError/Code/mergeInProgress``, after
    ///   which both users are unchanged; ``AuthError/Code/userTokenExpired`` while a user stays signed in: the
    ///   anonymous user's session has ended.
    @discardableResult
    public func merge(anonymousIDToken: String) async throws(AuthError) -> MergeReport {
        try await exclusively { () async throws(AuthError) -> MergeReport in
            let report = try await self.askToMerge(anonymousIDToken, isDryRun: false)
            self.memory.withLock { $0.successors[report.anonymousUID] = report.uid }
            // The merge may have changed the name and username. It stands whether or not they can be loaded.
            let response = try? await self.presentingToken { token async throws(AuthError) in
                try await self.api.lookup(idToken: token)
            }
            if let response { _ = try? self.update(with: response) }
            return report
        }
    }

    /// Reports what ``merge(anonymousIDToken:)`` would move and how it would resolve conflicts, without changing
    /// anything.
    ///
    /// - Parameter anonymousIDToken: an ID token of the anonymous user.
    /// - Returns: the report that ``merge(anonymousIDToken:)`` would return now.
    /// - Throws: as ``merge(anonymousIDToken:)``.
    public func mergeDryRun(anonymousIDToken: String) async throws(AuthError) -> MergeReport {
        try await exclusively { () async throws(AuthError) -> MergeReport in
            try await self.askToMerge(anonymousIDToken, isDryRun: true)
        }
    }

    /// Moves all data of another `Auth`'s anonymous user to the user who is signed in here, and signs that user out
    /// there.
    ///
    /// - Parameter guest: the `Auth` of the anonymous user.
    /// - Returns: what was moved.
    /// - Throws: as ``merge(anonymousIDToken:)``, and ``AuthError/Code/noCurrentUser`` also when `guest` has no
    ///   signed-in user.
    @discardableResult
    public func merge(from guest: Auth) async throws(AuthError) -> MergeReport {
        let (uid, token) = try await guest.anonymousToken()
        let report = try await merge(anonymousIDToken: token)
        try await guest.exclusively { () async throws(AuthError) in
            guard guest.currentUser?.uid == uid else { return }
            try guest.commit { $0 = PersistedState() }
        }
        return report
    }

    /// Reports what ``merge(from:)`` would move, without changing anything.
    ///
    /// - Parameter guest: the `Auth` of the anonymous user.
    /// - Returns: the report that ``merge(from:)`` would return now.
    /// - Throws: as ``merge(from:)``.
    public func mergeDryRun(from guest: Auth) async throws(AuthError) -> MergeReport {
        try await mergeDryRun(anonymousIDToken: try await guest.anonymousToken().token)
    }

    private func anonymousToken() async throws(AuthError) -> (uid: String, token: String) {
        guard let user = currentUser else { throw AuthError(.noCurrentUser) }
        guard user.isAnonymous else { throw AuthError(.notAnonymous) }
        return (user.uid, try await idToken())
    }

    /// Asks the server to merge, or for a dry run, and presents the tokens of both users.
    ///
    /// Call it only inside ``exclusively(_:)``.
    private func askToMerge(_ anonymousIDToken: String, isDryRun: Bool) async throws(AuthError) -> MergeReport {
        guard try !session().user.isAnonymous else { throw AuthError(.notPermanent) }
        // The call presents two tokens, and an error does not say which one it concerns. Renewing the user's own token
        // tells, so that a guest's expired session never signs the owner of the account out.
        let asks: (String) async throws(AuthError) -> MergeReport = { token async throws(AuthError) in
            let dryRun = isDryRun ? true : nil
            let body = MergeBody(idToken: token, anonymousIdToken: anonymousIDToken, dryRun: dryRun)
            return try await self.api.merge(body).report
        }
        let token = try await freshToken()
        do {
            return try await asks(token)
        } catch {
            guard [.userTokenExpired, .userDisabled].contains(error.code) else { throw error }
        }
        return try await asks(try await renew(try session()))
    }
}
