/// How an import treats what it meets.
package struct ImportOptions: Sendable {
    /// What becomes of a user who is here already.
    package enum Existing: Sendable {
        /// The row is at fault.
        case refuse
        /// They stay as they are, and so do those who are gone; for imports that are repeated.
        case keep
        /// The row takes their place.
        case replace
    }

    package var existing = Existing.refuse
    /// What the import was authorized by.
    package var authority = AdministratorAuthority.key
    /// Whether users without any credential are guests, whom clean-up may remove; users of custom tokens look the same.
    package var takesGuests = true
    /// Whether a user with nothing but an address is one who signs in by mailed links; where they come from, it may not be
    /// told.
    package var presumesEmailLinks = false

    /// As the call of administrators has it.
    package init() {}
}

/// What became of a row.
package enum ImportOutcome: Sendable, Equatable {
    case created(isGuest: Bool)
    case replaced
    /// The user is here already, and stays as they are.
    case kept
    /// There was such a user, who was deleted or merged into another one since, and stays so.
    case gone
    case refused(ImportFault)
}

extension AccountFlows {
    /// Imports users with their UIDs, ways in, claims and times.
    ///
    /// Neither hooks nor users are told of it. A guest's time for clean-up begins now. Nobody becomes an administrator by it,
    /// whatever the claims say.
    ///
    /// - Parameters:
    ///   - users: as many as one transaction may take.
    ///   - options: how to treat what is met.
    ///   - store: the transaction.
    /// - Returns: what became of each, in order.
    package func importUsers(
        _ users: [ImportedUser],
        _ options: ImportOptions,
        in store: some AccountStore
    ) throws -> [ImportOutcome] {
        var met = try ImportNeighbours(of: users, in: store)
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
                met.note(user)
                changes += 1
            case .kept, .gone, .refused: break
            }
            return outcome
        }
        if changes > 0 { try store.audit(.usersImported, uid: nil, detail: "\(changes)") }
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

    /// Replaces a user wholly; what they own stays, their sessions and the links mailed to them end.
    ///
    /// A contested account stays contested, because a row of a file does not resolve the contest.
    private func replace(
        _ before: User,
        with user: ImportedUser,
        _ options: ImportOptions,
        in store: some AccountStore
    ) throws {
        var after = user.user(options, at: store.now)
        // Whoever has had a credential never becomes a guest again.
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
    /// The user that the row makes.
    fileprivate func user(_ options: ImportOptions, at now: Int64) -> User {
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

    /// Whether the mailed link is how the user signs in from now on.
    private func signsInByLink(_ options: ImportOptions) -> Bool {
        hasPassword || options.presumesEmailLinks && identities.isEmpty
    }
}

/// What a batch of rows meets in the database, and what its earlier rows have made of it.
///
/// Looked up for all of them at once: a query for each would take most of an import's time.
private struct ImportNeighbours {
    private struct Subject: Hashable {
        let provider: String
        let subject: String
    }

    private(set) var present: Set<String>
    let administrators: Set<String>
    private(set) var former: [String: FormerUser] = [:]
    /// Who has an address.
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

    /// Notes what a row has made.
    mutating func note(_ user: ImportedUser) {
        present.insert(user.uid)
        former[user.uid] = nil
        if let email = user.email { emails[email] = user.uid }
        for identity in user.identities {
            subjects[Subject(provider: identity.provider, subject: identity.subject)] = user.uid
        }
    }

    /// Notes that a user is about to be replaced, who may have had what a later row has.
    mutating func release(_ user: User, identities: [Identity]) {
        if let email = user.email { emails[email] = nil }
        for identity in identities {
            subjects[Subject(provider: identity.provider, subject: identity.subject)] = nil
        }
    }
}
