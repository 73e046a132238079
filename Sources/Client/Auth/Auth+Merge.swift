internal import Synchronization

extension Auth {
    /// Moves all that an anonymous user has to the user who is signed in; the anonymous user is gone then.
    ///
    /// For an app that signed in first, and kept the token of the guest whom that left behind. The server makes it wholly or
    /// not at all, and answers the same report to the same call, so that a lost answer costs nothing.
    ///
    /// - Parameter anonymousIDToken: An ID token of the anonymous user, ``idToken(forcingRefresh:)`` of before.
    /// - Returns: What moved.
    /// - Throws: ``AuthError/Code/notAnonymous``, ``AuthError/Code/notPermanent``; ``AuthError/Code/mergeRefused``,
    ///   ``AuthError/Code/mergeFailed`` and ``AuthError/Code/mergeInProgress``, after which both are as they were;
    ///   ``AuthError/Code/userTokenExpired`` while somebody stays signed in: the anonymous user's session is over.
    @discardableResult
    public func merge(anonymousIDToken: String) async throws(AuthError) -> MergeReport {
        try await exclusively { () async throws(AuthError) -> MergeReport in
            let report = try await self.askToMerge(anonymousIDToken, isDryRun: false)
            self.memory.withLock { $0.successors[report.anonymousUID] = report.uid }
            // The merge may have brought a name and a username along; it stands whether or not they can be asked for.
            let response = try? await self.presentingToken { token async throws(AuthError) in
                try await self.api.lookup(idToken: token)
            }
            if let response { _ = try? self.update(with: response) }
            return report
        }
    }

    /// Tells what ``merge(anonymousIDToken:)`` would move and how conflicts would be settled; changes nothing.
    ///
    /// - Parameter anonymousIDToken: An ID token of the anonymous user.
    /// - Returns: The report of a merge now.
    /// - Throws: As ``merge(anonymousIDToken:)``.
    public func mergeDryRun(anonymousIDToken: String) async throws(AuthError) -> MergeReport {
        try await exclusively { () async throws(AuthError) -> MergeReport in
            try await self.askToMerge(anonymousIDToken, isDryRun: true)
        }
    }

    /// Moves all that the anonymous user of another `Auth` has to the user who is signed in here; nobody is signed in there
    /// then.
    ///
    /// - Parameter guest: Where the anonymous user is signed in.
    /// - Returns: What moved.
    /// - Throws: As ``merge(anonymousIDToken:)``, and ``AuthError/Code/noCurrentUser`` when nobody is signed in there.
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

    /// Tells what ``merge(from:)`` would move; changes nothing.
    ///
    /// - Parameter guest: Where the anonymous user is signed in.
    /// - Returns: The report of a merge now.
    /// - Throws: As ``merge(from:)``.
    public func mergeDryRun(from guest: Auth) async throws(AuthError) -> MergeReport {
        try await mergeDryRun(anonymousIDToken: try await guest.anonymousToken().token)
    }

    private func anonymousToken() async throws(AuthError) -> (uid: String, token: String) {
        guard let user = currentUser else { throw AuthError(.noCurrentUser) }
        guard user.isAnonymous else { throw AuthError(.notAnonymous) }
        return (user.uid, try await idToken())
    }

    /// Only inside ``exclusively(_:)``.
    private func askToMerge(_ anonymousIDToken: String, isDryRun: Bool) async throws(AuthError) -> MergeReport {
        guard try !session().user.isAnonymous else { throw AuthError(.notPermanent) }
        // Two tokens are presented, and an error does not say whose it is about. Renewing one's own finds out, so that a
        // guest's session that is over never signs the owner of the account out.
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
