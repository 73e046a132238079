/// The options of an import.
package struct ImportOptions: Sendable {
    /// What happens to a user who already exists.
    package enum Existing: Sendable {
        /// Refuses the row.
        case refuse
        /// Keeps the user as they are, and does not recreate users who were deleted or merged; for imports that are
        /// repeated.
        case keep
        /// Replaces the user's profile and sign-in methods with those of the row; the user's data stays.
        case replace
    }

    package var existing = Existing.refuse
    /// What authorized the import.
    package var authority = AdministratorAuthority.key
    /// Whether users without any credential are imported as guests, which clean-up may delete; otherwise they become
    /// permanent users.
    ///
    /// Users who sign in by custom tokens have no credential in the source system either.
    package var takesGuests = true
    /// Whether a user with an address, but neither password nor identity, is taken to sign in by e-mail link, because
    /// the source system may not tell.
    package var presumesEmailLinks = false

    /// Makes the default options, those of the administrators' call (contract, 3.11) without parameters.
    package init() {}
}

/// The outcome of importing one row.
package enum ImportOutcome: Sendable, Equatable {
    case created(isGuest: Bool)
    case replaced
    /// The user already exists and stays as they are.
    case kept
    /// The user existed, was deleted or merged since, and is not recreated.
    case gone
    case refused(ImportFault)
}

extension AccountFlows {
    /// Imports users with their UIDs, sign-in methods, claims and times.
    ///
    /// Neither hooks nor users are notified. A guest's time until clean-up begins now. No import creates an
    /// administrator, whatever the claims say.
    ///
    /// - Parameters:
    ///   - users: as many as one transaction may take.
    ///   - options: how to treat existing users and guests.
    ///   - store: the transaction.
    /// - Returns: the outcome of each row, in order.
    package func importUsers(
        _ users: [ImportedUser],
        _ options: ImportOptions,
        in store: some AccountStore
    ) throws -> [ImportOutcome] {
        var met = try ImportNeighbours(of: users, in: store)
        if options.existing == .replace {
            // All at once, because locks are taken in one order, and the file may have another one.
            try store.lockUsers(users.lazy.map(\.uid).filter(met.present.contains))
        }
        var changes = 0
        let outcomes = try users.map { user in
            let outcome: ImportOutcome
            do {
                outcome = try take(user, options, &met, in: store)
            } catch let fault as ImportFault {
                return ImportOutcome.refused(fault)
            }
            switch outcome {
            case .created, .replaced:
                met.record(user)
                changes += 1
            case .kept, .gone, .refused: break
            }
            return outcome
        }
        if changes > 0 { try audit(.usersImported, detail: "\(changes)", in: store) }
        if policy.movesFromFirebase {
            try store.recordFirebaseRefreshes(
                users.compactMap { user in user.lastRefreshAt.map { (uid: user.uid, at: $0) } }
            )
        }
        return outcomes
    }

    /// Imports one user.
    ///
    /// - Throws: ``ImportFault``, before anything was changed.
    private func take(
        _ user: ImportedUser,
        _ options: ImportOptions,
        _ met: inout ImportNeighbours,
        in store: some AccountStore
    ) throws -> ImportOutcome {
        let exists = met.present.contains(user.uid)
        let former = met.former[user.uid]
        if options.existing == .keep {
            if exists { return .kept }
            if former != nil { return .gone }
        }
        for identity in user.identities {
            if let owner = met.owner(of: identity), owner != user.uid { throw ImportFault.rawIDExists }
        }
        if let fault = user.lateFault { throw fault }
        if let email = user.email, let owner = met.emails[email], owner != user.uid { throw ImportFault.emailExists }
        guard former?.mergedInto == nil else { throw ImportFault.merged }
        guard exists else {
            if former != nil { try claim(user.uid, in: store) }
            let made = user.user(options, at: store.now)
            try store.insert(made)
            for identity in user.identities { try store.put(identity) }
            return .created(isGuest: made.isAnonymous)
        }
        guard options.existing == .replace, let before = try store.user(user.uid) else { throw ImportFault.uidExists }
        guard before.mergeID == nil else { throw ImportFault.held }
        if options.authority == .idToken, met.administrators.contains(user.uid) { throw ImportFault.administrator }
        met.release(before, identities: try store.identities(of: before.uid))
        try replace(before, with: user, options, in: store)
        return .replaced
    }

    /// Replaces a user's row and identities; the user's data stays, and their sessions and e-mail links end.
    ///
    /// A contested account stays contested, because a row of a file does not resolve the contest.
    private func replace(
        _ before: User,
        with user: ImportedUser,
        _ options: ImportOptions,
        in store: some AccountStore
    ) throws {
        var after = user.user(options, at: store.now)
        // A user with a past credential never becomes a guest again.
        after.anonymousSince = after.isAnonymous ? before.anonymousSince : nil
        after.importedAt = store.now
        after.contest = before.contest
        try store.deleteIdentities(of: user.uid)
        try store.update(after)
        if after.email != before.email { try forgetClients(of: before, in: store) }
        for identity in user.identities { try store.put(identity) }
        try store.endSessions(of: user.uid, except: nil, reason: .revoked)
        try store.endActionCodes(of: user.uid)
    }
}

extension ImportedUser {
    /// Returns the user that the row makes, not stored yet: a guest if the row has no credential and the options take
    /// guests, otherwise a permanent user.
    func user(_ options: ImportOptions, at now: Int64) -> User {
        var user = User(uid: uid, createdAt: createdAt ?? now)
        user.email = email
        user.emailVerifiedAt = email != nil && isEmailVerified ? now : nil
        user.emailLinkAt = email != nil && signsInByLink(options) ? now : nil
        user.displayName = displayName
        user.photoURL = photoURL
        user.customAttributes = customAttributes
        user.importedAt = now
        user.anonymousSince = !hasCredential && options.takesGuests ? now : nil
        user.disabledAt = isDisabled ? now : nil
        user.validSince = now / 1000
        user.lastLoginAt = lastLoginAt ?? user.createdAt
        user.lastRefreshAt = user.lastLoginAt
        return user
    }

    /// Whether the user signs in by e-mail link from now on.
    private func signsInByLink(_ options: ImportOptions) -> Bool {
        hasPassword || options.presumesEmailLinks && identities.isEmpty
    }
}

/// The existing data that a batch of rows may conflict with, including the results of its earlier rows.
///
/// Read for all rows at once, because a query for each would take most of an import's time.
private struct ImportNeighbours {
    private struct Subject: Hashable {
        let provider: String
        let subject: String
    }

    private(set) var present: Set<String>
    let administrators: Set<String>
    private(set) var former: [String: FormerUser] = [:]
    /// The UIDs of the owners of addresses, by address.
    private(set) var emails: [String: String]
    private var subjects: [Subject: String] = [:]

    init(of users: [ImportedUser], in store: some AccountStore) throws {
        let uids = users.map(\.uid)
        present = Set(try store.presentUsers(among: uids))
        administrators = Set(try store.administrators())
        for user in try store.formerUsers(among: uids) { former[user.uid] = user }
        emails = try store.owners(ofEmails: users.compactMap(\.email))
        let identities = Dictionary(grouping: users.lazy.flatMap(\.identities), by: \.provider)
        for (provider, identities) in identities.sorted(by: { $0.key < $1.key }) {
            let owners = try store.owners(ofSubjects: identities.map(\.subject), at: provider)
            for (subject, uid) in owners { subjects[Subject(provider: provider, subject: subject)] = uid }
        }
    }

    func owner(of identity: Identity) -> String? {
        subjects[Subject(provider: identity.provider, subject: identity.subject)]
    }

    /// Records that a row's user now exists and has the row's address and identities.
    mutating func record(_ user: ImportedUser) {
        present.insert(user.uid)
        former[user.uid] = nil
        if let email = user.email { emails[email] = user.uid }
        for identity in user.identities {
            subjects[Subject(provider: identity.provider, subject: identity.subject)] = user.uid
        }
    }

    /// Records that a user is about to be replaced, so that a later row may use their address and identities.
    mutating func release(_ user: User, identities: [Identity]) {
        if let email = user.email { emails[email] = nil }
        for identity in identities {
            subjects[Subject(provider: identity.provider, subject: identity.subject)] = nil
        }
    }
}
