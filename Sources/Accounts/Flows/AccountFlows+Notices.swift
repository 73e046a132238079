internal import Tokens

// A change and its notice are one transaction: where the notice cannot be queued or exceeds its budget, nothing has changed.
extension AccountFlows {
    /// Queues the notice that sign-in methods were added to a permanent user or removed, to the user's proven address.
    ///
    /// Does nothing for a guest, whose first method it is, and for a user without a proven address.
    ///
    /// - Parameters:
    ///   - user: the user as before the change.
    ///   - added: the identity that the user gets.
    ///   - removed: the identities that the user loses.
    ///   - notice: what the notice needs before the transaction.
    ///   - store: the transaction.
    /// - Returns: whether a notice was queued.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER.
    @discardableResult
    func noticeMethods(
        of user: User,
        added: Identity? = nil,
        removed: [LinkedIdentity] = [],
        notice: NoticeOpening,
        in store: some AccountStore
    ) throws -> Bool {
        guard !user.isAnonymous, let email = user.email, user.emailVerifiedAt != nil else { return false }
        guard added != nil || !removed.isEmpty else { return false }
        try countNotice(of: user, in: store)
        let code = StoredActionCode(
            id: notice.ids.actionCode.text,
            purpose: .revertMethodChange,
            uid: user.uid,
            email: email,
            locale: notice.locale,
            createdAt: store.now,
            expiresAt: store.now + policy.recoverLinkLife
        )
        let link = try add(code, code: notice.ids.actionCode, in: store)
        let changes = try record(added: added, removed: removed, under: code, notice, in: store)
        let named = added == nil ? changes : changes.filter { $0.kind == .added }
        try queue(
            QueuedMail(
                id: notice.ids.mail.text,
                kind: added == nil ? .methodRemoved : .methodAdded,
                to: email,
                locale: code.locale,
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
    /// It stands for the identities as well that the same call removes.
    ///
    /// - Parameters:
    ///   - oldEmail: the address of before.
    ///   - newEmail: the address that takes its place; `nil` where the user has none now.
    ///   - unclaimedSince: the mark that the old address had (``User/unclaimedSince``).
    ///   - user: the user as after the change.
    ///   - removed: the identities that the same call removes.
    ///   - cause: on whose behalf the change is made.
    ///   - notice: what the notice needs before the transaction.
    ///   - locale: the language of the notice.
    ///   - store: the transaction.
    /// - Throws: ``Refusal`` TOO_MANY_ATTEMPTS_TRY_LATER, unless an administrator makes the change.
    func noticeChange(
        of oldEmail: String,
        to newEmail: String?,
        unclaimedSince: Int64?,
        for user: User,
        removed: [LinkedIdentity] = [],
        cause: NoticeCause,
        notice: NoticeOpening,
        locale: String,
        in store: some AccountStore
    ) throws {
        switch cause {
        case .user: try countNotice(of: user, in: store)
        case .administrator:
            // An address hears of as many such changes as it gets mails, and the change itself is made in any case.
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
            createdAt: store.now,
            expiresAt: store.now + policy.recoverLinkLife,
            unclaimedSince: unclaimedSince
        )
        let code = try add(recover, code: notice.ids.actionCode, in: store)
        let changes = try record(added: nil, removed: removed, under: recover, notice, in: store)
        let isRemoval = newEmail == nil || !changes.isEmpty
        try queue(
            QueuedMail(
                id: notice.ids.mail.text,
                kind: isRemoval ? .methodRemoved : .emailChanged,
                to: oldEmail,
                locale: recover.locale,
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

    /// Counts a notice against the account's budget, which mails that others ask for never touch.
    private func countNotice(of user: User, in store: some AccountStore) throws {
        try count("notices:\(user.uid)", policy.noticesPerAccount, named: "limits.noticesPerAccount", in: store)
    }

    /// Stores what the link of a notice takes back.
    private func record(
        added: Identity?,
        removed: [LinkedIdentity],
        under code: StoredActionCode,
        _ notice: NoticeOpening,
        in store: some AccountStore
    ) throws -> [MethodChange] {
        func change(_ kind: MethodChange.Kind, _ method: LinkedIdentity) -> MethodChange {
            MethodChange(
                kind,
                method,
                code: code.id,
                device: notice.device,
                changedAt: store.now,
                expiresAt: code.expiresAt
            )
        }
        var changes = removed.map { change(.removed, $0) }
        if let added { changes.append(change(.added, LinkedIdentity(added, linkedAt: store.now))) }
        for change in changes { try store.insert(change) }
        return changes
    }
}
