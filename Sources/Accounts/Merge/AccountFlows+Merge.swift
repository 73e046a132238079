/// The outcome of a merge, for its first call and for calls repeated because the reply was lost.
package struct Merged: Sendable, Equatable {
    /// The UID of the deleted guest.
    package let guestUID: String
    /// The permanent user to whom everything moved, as stored after the merge.
    package var user: User
    package let id: String
    /// The JSON text of the ``MergeReport``, as the database keeps it.
    package let report: String
    /// Whether the merge happened in an earlier call.
    package let isRepeated: Bool
    /// Whether the caller rolls the merge back.
    package let isDryRun: Bool

    init(guestUID: String, user: User, id: String, report: String, isRepeated: Bool = false, isDryRun: Bool = false) {
        self.guestUID = guestUID
        self.user = user
        self.id = id
        self.report = report
        self.isRepeated = isRepeated
        self.isDryRun = isDryRun
    }

    /// Makes the outcome of a merge that has happened; `nil` if it has not, or merged the guest into another user.
    init?(repeating merge: StoredMerge, for user: User) {
        guard merge.state == .committed, merge.targetUID == user.uid, let report = merge.report else { return nil }
        self.init(guestUID: merge.uid, user: user, id: merge.id, report: report, isRepeated: true)
    }
}

extension AccountFlows {
    /// Checks that a guest may be merged into a user, and throws otherwise.
    ///
    /// Changes nothing. Both users must have been read in this transaction, and the client must have proven to be both.
    ///
    /// - Parameter id: the id of the merge to check; a merge that has already suspended the guest (``User/mergeID``)
    ///   may continue.
    /// - Throws: ``Refusal`` NOT_ANONYMOUS, NOT_PERMANENT, USER_DISABLED, MERGE_IN_PROGRESS.
    package func checkMerge(of guest: User, into target: User, by id: String) throws {
        guard guest.isAnonymous else { throw Refusal(.notAnonymous) }
        guard !target.isAnonymous else { throw Refusal(.notPermanent) }
        guard !target.isDisabled else { throw Refusal(.userDisabled) }
        guard guest.mergeID == nil || guest.mergeID == id else { throw Refusal(.mergeInProgress, retryAfter: 1) }
    }

    /// Moves what a guest has (documents, operator's rows, username, profile fields) to a permanent user as far as the
    /// user lacks it or a policy decides so, ends the guest's sessions and deletes the guest.
    ///
    /// Every sign-in method that can meet an existing account merges through here. So does a dry run, whose caller
    /// rolls the transaction back.
    ///
    /// - Parameters:
    ///   - guest: the anonymous user, read in this transaction.
    ///   - target: the permanent user, read in this transaction.
    ///   - id: a fresh identifier, or that of the merge that has suspended the guest.
    ///   - isDryRun: whether to leave the hooks out and to mark the report as that of a dry run; the caller rolls the
    ///     transaction back.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` MERGE_REFUSED, or those of ``checkMerge(of:into:by:)``; ``MergeBlocked``; or
    ///   ``MergeAwaitsHooks``, whose catcher calls again once the hooks have agreed.
    package func merge(
        _ guest: User,
        into target: User,
        id: String,
        isDryRun: Bool = false,
        in store: some AccountStore
    ) throws -> Merged {
        try store.requireSerializable(for: .merge)
        try checkMerge(of: guest, into: target, by: id)
        if !isDryRun { try requireConsent(to: id, of: guest, into: target, in: store) }
        try store.lockUsers([guest.uid, target.uid])
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
        // Sessions come first, because the user's row identifies them. They are kept, so that their devices receive
        // TOKEN_EXPIRED.
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
        try audit(.userMerged, uid: guest.uid, detail: target.uid, in: store)
        return Merged(guestUID: guest.uid, user: heir, id: id, report: report.json, isDryRun: isDryRun)
    }

    /// Makes a dry run of a merge that a sign-in would cause, and returns the refusal that reports it.
    ///
    /// The caller throws the refusal, which rolls the dry run back.
    ///
    /// - Parameters:
    ///   - code: the code of the refusal.
    ///   - guest: the presented user, who must be a guest.
    ///   - target: the owner of the address or identity.
    ///   - id: a fresh identifier.
    ///   - store: the transaction.
    /// - Throws: what ``merge(_:into:id:isDryRun:in:)`` throws.
    func conflict(
        _ code: Code,
        reportingMergeOf guest: User,
        into target: User,
        id: String,
        in store: some AccountStore
    ) throws -> Refusal {
        let merged = try merge(guest, into: target, id: id, isDryRun: true, in: store)
        // A change that fails must fail the dry run, too.
        try store.flush()
        return Refusal(code, mergeReport: merged.report)
    }

    /// Copies the guest's display name and photo URL as far as the target lacks them, stores the target, and adds the
    /// names of the copied fields to the report.
    ///
    /// - Returns: the target after the change.
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
