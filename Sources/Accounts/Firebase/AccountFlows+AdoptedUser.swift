extension AccountFlows {
    /// Returns the user of a session that moves: the known one, refreshed by Firebase's look-up until their first
    /// session or change here, or a new one made from the look-up.
    ///
    /// - Throws: ``FirebaseAccountNeeded``, ``FirebaseMoveUndecided``, ``Refusal`` USER_DISABLED.
    func user(
        of foreign: FirebaseSession,
        _ known: User?,
        _ account: ImportedUser?,
        in store: some AccountStore
    ) throws -> User {
        if let known {
            let isTouched =
                try store.firebaseUser(foreign.uid).map { $0.changedAt != nil || $0.movedAt != nil } ?? false
            if try isTouched || store.hasSession(foreign.uid) { return known }
        }
        guard let account else { throw FirebaseAccountNeeded() }
        guard account.uid == foreign.uid else { throw FirebaseMoveUndecided("the look-up is about another user") }
        guard !account.isDisabled else { throw Refusal(.userDisabled) }
        let free = try withoutTaken(account, in: store)
        var options = ImportOptions()
        // Users of custom tokens have no credential at Firebase either.
        options.takesGuests = foreign.provider == .anonymous
        options.presumesEmailLinks = true
        var user = free.user(options, at: store.now)
        guard let known else {
            user.lastRefreshAt = store.now
            if foreign.provider == .custom { user.customAuthAt = store.now }
            try store.insert(user)
            for identity in free.identities { try store.put(identity) }
            return user
        }
        // A user with a past credential never becomes a guest again.
        user.anonymousSince = account.hasCredential ? nil : known.anonymousSince
        user.importedAt = known.importedAt
        user.validSince = known.validSince
        user.customAuthAt = known.customAuthAt
        user.lastRefreshAt = known.lastRefreshAt
        user.emailLinkAt = user.email == nil ? nil : user.emailLinkAt ?? known.emailLinkAt
        if user.email != known.email { try forgetClients(of: known, in: store) }
        try store.deleteIdentities(of: user.uid)
        try store.update(user)
        for identity in free.identities { try store.put(identity) }
        return user
    }

    /// Returns the account without an address and identities that other users have here.
    private func withoutTaken(_ account: ImportedUser, in store: some AccountStore) throws -> ImportedUser {
        let owner = try account.email.flatMap { try store.user(email: $0)?.uid }
        return try account.without(email: owner != nil && owner != account.uid) { identity in
            let owner = try store.identity(identity.subject, at: identity.provider)?.uid
            return owner == nil || owner == account.uid
        }
    }
}
