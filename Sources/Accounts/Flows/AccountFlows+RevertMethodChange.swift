package import Tokens

/// A change of sign-in methods that the link of a notice can still revert.
package struct RevertibleChange: Sendable, Equatable {
    package let user: User
    package let code: StoredActionCode
    package let changes: [MethodChange]

    /// Makes a change from its parts.
    package init(user: User, code: StoredActionCode, changes: [MethodChange]) {
        self.user = user
        self.code = code
        self.changes = changes
    }

    /// Whether the change added a sign-in method, possibly in place of another one.
    package var isAddition: Bool { changes.contains { $0.kind == .added } }
    /// The changes that the notice names: the added method if there is one, otherwise all removed ones.
    package var named: [MethodChange] { isAddition ? changes.filter { $0.kind == .added } : changes }
}

/// The outcome of reverting a change.
package struct RevertedChange: Sendable, Equatable {
    package let user: User
    /// Whether a removed method could not be restored, because another user has it by now.
    package let lacksMethod: Bool

    /// Makes an outcome from its parts.
    package init(user: User, lacksMethod: Bool) {
        self.user = user
        self.lacksMethod = lacksMethod
    }
}

extension AccountFlows {
    /// Returns the change that the link of a notice reverts, and changes nothing.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, OPERATION_NOT_ALLOWED (an administrator's account),
    ///   USER_DISABLED (the account is contested).
    package func revertibleChange(_ code: ActionCode, in store: some AccountStore) throws -> RevertibleChange {
        let stored = try usableActionCode(code, in: store)
        guard stored.purpose == .revertMethodChange, let uid = stored.uid, let user = try store.user(uid) else {
            throw Refusal(.invalidOobCode)
        }
        try refuseIfAdministrator(uid, in: store)
        guard user.contest == nil else { throw Refusal(.userDisabled) }
        return RevertibleChange(
            user: user,
            code: stored,
            changes: try store.methodChanges(of: uid).filter { $0.code == stored.id }
        )
    }

    /// Reverts a change of sign-in methods for the mailbox that got its notice, and ends every session of the user and
    /// every unused link that verifies or changes the user's address.
    ///
    /// An added method is deleted. A removed method is restored unless another user has it, even if a later call put
    /// another identity of the same provider in its place. Notices may be answered in any order: a method whose
    /// addition was reverted is not restored by the notice of its removal.
    ///
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS, or those of ``revertibleChange(_:in:)``.
    package func revertMethodChange(_ code: ActionCode, in store: some AccountStore) throws -> RevertedChange {
        let found = try revertibleChange(code, in: store)
        var user = found.user
        let uid = user.uid
        try user.refuseIfMergeSuspended()
        try store.lockUsers([uid])
        guard try store.useActionCode(found.code.id) else { throw Refusal(.invalidOobCode) }
        var lacksMethod = false
        for change in found.changes where change.kind == .added {
            try store.deleteIdentity(change.method.identity)
            try store.forgetRemovals(of: change.method.identity)
        }
        for change in found.changes where change.kind == .removed {
            if try !restore(change.method, in: store) { lacksMethod = true }
        }
        user.validSince = store.now / 1000
        try store.update(user)
        try store.endSessions(of: uid, except: nil, reason: .revoked)
        try recordChange(ofImported: uid, endsSessions: true, in: store)
        // A thief may have requested a change of address that only has to be confirmed.
        try store.endActionCodes(of: uid, for: [.verifyEmail, .verifyAndChangeEmail])
        let providers = found.changes.map(\.method.identity.provider).joined(separator: " ")
        try audit(.methodChangeReverted, uid: uid, detail: providers, in: store)
        try trace(.applied, of: found.code, by: TracedDevice(), in: store)
        return RevertedChange(user: user, lacksMethod: lacksMethod)
    }

    /// Restores the identities of a user whose removal was recorded at a time or later (``MethodChange``) and that were
    /// linked before it, except those that another user has by now; the time is in milliseconds since 1970.
    func restoreMethods(of uid: String, removedSince time: Int64, in store: some AccountStore) throws {
        let changes = try store.methodChanges(of: uid)
        for change in changes where change.kind == .removed && change.changedAt >= time && change.method.linkedAt < time
        {
            _ = try restore(change.method, in: store)
        }
    }

    /// Restores an identity of a user, unless another user has it.
    ///
    /// - Returns: whether the user has the identity now.
    private func restore(_ method: LinkedIdentity, in store: some AccountStore) throws -> Bool {
        let identity = method.identity
        if let owner = try store.identity(identity.subject, at: identity.provider) { return owner.uid == identity.uid }
        try store.restore(method)
        return true
    }
}
