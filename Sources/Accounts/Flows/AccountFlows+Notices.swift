internal import Tokens

// A change and its notice share a transaction: if the notice cannot be queued or exceeds its budget, nothing changes.
extension AccountFlows {
    /// Queues the notice that sign-in methods of a permanent user were added or removed, to the user's proven address.
    ///
    /// Does nothing for a guest, whose first method needs no notice. A user without a proven address gets no notice,
    /// but removed identities are recorded, so that a later recovery of an earlier address restores them.
    ///
    /// - Parameters:
    ///   - user: the user before the change.
    ///   - added: the identity that the user gets.
    ///   - removed: the identities that the user loses.
    ///   - notice: what the notice needs before the transaction.
    ///   - store: the transaction.
    /// - Returns: whether a notice was queued.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER beyond ``Policy/noticesPerAccount``.
    @discardableResult
    func noticeMethods(
        of user: User,
        added: Identity? = nil,
        removed: [LinkedIdentity] = [],
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws -> Bool {
        guard !user.isAnonymous, added != nil || !removed.isEmpty else { return false }
        let expiresAt = store.now + policy.recoverLinkLife
        guard let email = user.email, user.emailVerifiedAt != nil else {
            let code = notice.ids.actionCode.text
            _ = try record(added: nil, removed: removed, under: code, until: expiresAt, notice, in: store)
            return false
        }
        // The user is locked before the counter, because every transaction locks users before counters.
        try store.lockUsers([user.uid])
        try countNotice(of: user, in: store)
        let code = StoredActionCode(
            id: notice.ids.actionCode.text,
            purpose: .revertMethodChange,
            uid: user.uid,
            email: email,
            locale: notice.locale,
            timeZone: notice.timeZone,
            createdAt: store.now,
            expiresAt: expiresAt,
            mail: notice.ids.mail.text
        )
        let link = try add(code, code: notice.ids.actionCode, in: store)
        let changes = try record(added: added, removed: removed, under: code.id, until: expiresAt, notice, in: store)
        let named = added == nil ? changes : changes.filter { $0.kind == .added }
        try queue(
            QueuedMail(
                id: notice.ids.mail.text,
                kind: added == nil ? .methodRemoved : .methodAdded,
                to: email,
                locale: code.locale,
                timeZone: code.timeZone,
                actionCode: link,
                linkExpiresAt: code.expiresAt,
                methods: MethodName.list(named),
                uid: user.uid,
                device: notice.device,
                queuedAt: store.now
            ),
            MailRank(.notice, at: store.now),
            in: store
        )
        return true
    }

    /// Queues the notice that an address was changed or removed, with the recovery link, to the old address.
    ///
    /// The notice also covers the identities that the same call removes.
    ///
    /// - Parameters:
    ///   - oldEmail: the old address.
    ///   - newEmail: the new address; `nil` if the user has none now.
    ///   - unclaimedSince: the mark of the old address (``User/unclaimedSince``).
    ///   - user: the user after the change.
    ///   - removed: the identities that the same call removes.
    ///   - cause: on whose behalf the change is made.
    ///   - notice: what the notice needs before the transaction.
    ///   - locale: the language of the notice.
    ///   - timeZone: the time zone of the notice; UTC for `nil`.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER beyond ``Policy/noticesPerAccount``. An administrator's change
    ///   is never refused: once the old address has had as many such notices as ``Policy/mailsPerAddress`` allows,
    ///   nothing is queued or recorded.
    func noticeChange(
        of oldEmail: String,
        to newEmail: String?,
        unclaimedSince: Int64?,
        for user: User,
        removed: [LinkedIdentity] = [],
        cause: NoticeCause,
        notice: NoticeOpening,
        locale: String,
        timeZone: String?,
        in store: some AccountStore
    ) throws {
        // The user is locked before the counters, because every transaction locks users before counters.
        try store.lockUsers([user.uid])
        switch cause {
        case .user: try countNotice(of: user, in: store)
        case .administrator:
            // An address gets at most as many such notices as e-mails, but the change itself is made in any case.
            let limit = policy.mailsPerAddress
            let counted = try store.count("notices:\(mailboxHash(oldEmail))", in: limit.window)
            guard counted.used <= limit.count else { return }
        }
        let recover = StoredActionCode(
            id: notice.ids.actionCode.text,
            purpose: .recoverEmail,
            uid: user.uid,
            email: oldEmail,
            newEmail: newEmail,
            locale: locale,
            timeZone: timeZone,
            createdAt: recoveryTime(of: user, in: store),
            expiresAt: store.now + policy.recoverLinkLife,
            unclaimedSince: unclaimedSince,
            mail: notice.ids.mail.text
        )
        let code = try add(recover, code: notice.ids.actionCode, in: store)
        let changes = try record(
            added: nil,
            removed: removed,
            under: recover.id,
            until: recover.expiresAt,
            notice,
            in: store
        )
        let isRemoval = newEmail == nil || !changes.isEmpty
        try queue(
            QueuedMail(
                id: notice.ids.mail.text,
                kind: isRemoval ? .methodRemoved : .emailChanged,
                to: oldEmail,
                locale: recover.locale,
                timeZone: recover.timeZone,
                actionCode: code,
                linkExpiresAt: recover.expiresAt,
                newEmail: newEmail,
                methods: isRemoval
                    ? ([oldEmail] + (changes.isEmpty ? [] : [MethodName.list(changes)])).joined(separator: ", ") : nil,
                uid: user.uid,
                device: notice.device,
                queuedAt: store.now
            ),
            MailRank(.notice, at: store.now),
            in: store
        )
    }

    /// Counts a notice against ``Policy/noticesPerAccount``; e-mails of other kinds do not count there.
    ///
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER beyond the limit.
    private func countNotice(of user: User, in store: some AccountStore) throws {
        try count("notices:\(user.uid)", policy.noticesPerAccount, named: "limits.noticesPerAccount", in: store)
    }

    /// Stores the changes of identities that the link of a notice, or the recovery of an address, can revert.
    ///
    /// - Parameters:
    ///   - code: the id of the code in the notice's link, or an id that no code has if there is no notice.
    ///   - end: when the changes may be deleted, in milliseconds since 1970.
    /// - Returns: the stored changes, the removals first.
    private func record(
        added: Identity?,
        removed: [LinkedIdentity],
        under code: String,
        until end: Int64,
        _ notice: NoticeOpening,
        in store: some AccountStore
    ) throws -> [MethodChange] {
        func change(_ kind: MethodChange.Kind, _ method: LinkedIdentity) -> MethodChange {
            MethodChange(
                kind,
                method,
                code: code,
                device: notice.device,
                changedAt: store.now,
                expiresAt: end
            )
        }
        var changes = removed.map { change(.removed, $0) }
        if let added { changes.append(change(.added, LinkedIdentity(added, linkedAt: store.now))) }
        for change in changes { try store.insert(change) }
        return changes
    }
}
