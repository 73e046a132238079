/// What came of a merge: for the one who called, or calls again because the reply was lost.
package struct Merged: Sendable, Equatable {
    /// The guest, who is gone.
    package let guestUID: String
    /// Who has everything now.
    package var user: User
    package let id: String
    /// The report in JSON.
    package let report: String
    /// Whether it happened in an earlier call.
    package let isRepeated: Bool
    /// Whether the caller rolls it back.
    package let isDryRun: Bool

    init(guestUID: String, user: User, id: String, report: String, isRepeated: Bool = false, isDryRun: Bool = false) {
        self.guestUID = guestUID
        self.user = user
        self.id = id
        self.report = report
        self.isRepeated = isRepeated
        self.isDryRun = isDryRun
    }

    /// What a merge answered when it happened; `nil` while it has not.
    init?(repeating merge: StoredMerge, for user: User) {
        guard merge.state == .committed, merge.targetUID == user.uid, let report = merge.report else { return nil }
        self.init(guestUID: merge.uid, user: user, id: merge.id, report: report, isRepeated: true)
    }
}

extension AccountFlows {
    /// Whether a guest may be merged into another user.
    ///
    /// Both must have been read in this transaction, and the caller must have proven to be both.
    ///
    /// - Parameter id: the merge that asks; one that holds the guest already (``User/mergeID``) may go on.
    /// - Throws: ``Refusal`` NOT_ANONYMOUS, NOT_PERMANENT, USER_DISABLED, MERGE_IN_PROGRESS.
    package func checkMerge(of guest: User, into target: User, by id: String) throws {
        guard guest.isAnonymous else { throw Refusal(.notAnonymous) }
        guard !target.isAnonymous else { throw Refusal(.notPermanent) }
        guard !target.isDisabled else { throw Refusal(.userDisabled) }
        guard guest.mergeID == nil || guest.mergeID == id else { throw Refusal(.mergeInProgress, retryAfter: 1) }
    }

    /// Moves everything that a guest has to a permanent user and deletes the guest.
    ///
    /// The one place where this happens: every way in that can meet an existing account goes through it, a dry run too, whose
    /// caller rolls the transaction back.
    ///
    /// - Parameters:
    ///   - guest: the anonymous user, read in this transaction.
    ///   - target: the permanent user, read in this transaction.
    ///   - id: a fresh identifier, or that of the merge that holds the guest.
    ///   - isDryRun: whether the report is to say that nothing happened.
    ///   - store: the transaction.
    /// - Throws: ``Refusal``, as ``checkMerge(of:into:by:)`` does, ``MergeBlocked``, or ``MergeAwaitsHooks``, whose catcher
    ///   calls again once the hooks have agreed.
    package func merge(
        _ guest: User,
        into target: User,
        id: String,
        isDryRun: Bool = false,
        in store: some AccountStore
    ) throws -> Merged {
        try checkMerge(of: guest, into: target, by: id)
        if !isDryRun { try requireConsent(to: id, of: guest, into: target, in: store) }
        try store.hold([guest.uid, target.uid])
        var report = MergeReport(
            mergeID: id,
            anonymousUID: guest.uid,
            uid: target.uid,
            isDryRun: isDryRun,
            mergedAt: store.now
        )
        try moveDocuments(from: guest.uid, to: target.uid, noting: &report, in: store)
        report.tables = try store.moveRows(from: guest.uid, to: target.uid)
        if let username = try store.moveUsername(from: guest.uid, to: target.uid) {
            report.username = username.moved ? .moved(username.name) : .dropped(username.name)
        }
        let heir = try moveProfile(from: guest, to: target, noting: &report, in: store)
        // First the sessions, which are found by the row that goes; they stay, so that their devices hear TOKEN_EXPIRED.
        try store.endSessions(of: guest.uid, except: nil, reason: .merged)
        try forgetClients(of: guest, in: store)
        try store.deleteUser(guest.uid, mergedInto: target.uid)
        let merge = StoredMerge(
            id: id,
            uid: guest.uid,
            targetUID: target.uid,
            state: .committed,
            report: report.json
        )
        try store.put(merge)
        if guest.mergeID == id {
            let asked = MergeAwaitsHooks(id: id, guest: guest.uid, target: target.uid)
            try tellOutcome(.mergeCommit, of: asked, reason: nil, in: store)
        }
        try store.audit(.userMerged, uid: guest.uid, detail: target.uid)
        return Merged(guestUID: guest.uid, user: heir, id: id, report: report.json, isDryRun: isDryRun)
    }

    /// Gives a user what the guest's profile has and their own has not.
    private func moveProfile(
        from guest: User,
        to target: User,
        noting report: inout MergeReport,
        in store: some AccountStore
    ) throws -> User {
        var heir = target
        if target.displayName == nil, let name = guest.displayName {
            heir.displayName = name
            report.profile.append("displayName")
        }
        if target.photoURL == nil, let url = guest.photoURL {
            heir.photoURL = url
            report.profile.append("photoUrl")
        }
        if heir != target { try store.update(heir) }
        return heir
    }
}
