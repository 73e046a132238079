package import Tokens

/// A change of sign-in methods that the link of a notice may still take back.
package struct RevertibleChange: Sendable, Equatable {
    package let code: StoredActionCode
    package let changes: [MethodChange]

    /// Whether the change added a method, in place of another one or not.
    package var isAddition: Bool { changes.contains { $0.kind == .added } }
    /// The changes that the notice names.
    package var named: [MethodChange] { isAddition ? changes.filter { $0.kind == .added } : changes }
}

/// What came of a change that was taken back.
package struct RevertedChange: Sendable, Equatable {
    package let user: User
    /// Whether a removed method could not be restored, because another user has it by now.
    package let lacksMethod: Bool
}

extension AccountFlows {
    /// Finds what the link of a notice takes back, and changes nothing.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE or EXPIRED_OOB_CODE.
    package func revertibleChange(_ code: ActionCode, in store: some AccountStore) throws -> RevertibleChange {
        let stored = try usableActionCode(code, in: store)
        guard stored.purpose == .revertMethodChange, let uid = stored.uid else { throw Refusal(.invalidOobCode) }
        return RevertibleChange(
            code: stored,
            changes: try store.methodChanges(of: uid).filter { $0.code == stored.id }
        )
    }

    /// Takes a change of sign-in methods back, for the mailbox that got its notice, and ends every session of the user.
    ///
    /// An added method goes. A removed one comes back unless another user has it, also where a later call put another identity
    /// of the same provider in its place. Notices may be answered in any order: a method whose addition was taken back is not
    /// restored by the notice of its removal.
    ///
    /// - Throws: ``Refusal`` INVALID_OOB_CODE, EXPIRED_OOB_CODE, OPERATION_NOT_ALLOWED (an administrator's account),
    ///   USER_DISABLED (the account is contested), MERGE_IN_PROGRESS.
    package func revertMethodChange(_ code: ActionCode, in store: some AccountStore) throws -> RevertedChange {
        let found = try revertibleChange(code, in: store)
        guard let uid = found.code.uid, var user = try store.user(uid) else { throw Refusal(.invalidOobCode) }
        try refuseIfAdministrator(uid, in: store)
        guard user.contest == nil else { throw Refusal(.userDisabled) }
        try user.refuseIfHeld()
        try store.hold([uid])
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
        // A thief may have asked for a change of address that only has to be confirmed.
        try store.endActionCodes(of: uid, for: [.verifyEmail, .verifyAndChangeEmail])
        let providers = found.changes.map(\.method.identity.provider).joined(separator: " ")
        try store.audit(.methodChangeReverted, uid: uid, detail: providers)
        return RevertedChange(user: user, lacksMethod: lacksMethod)
    }

    /// Restores the identities that calls of the user's own removed since a time, and that were linked before.
    func restoreMethods(of uid: String, removedSince time: Int64, in store: some AccountStore) throws {
        let changes = try store.methodChanges(of: uid)
        for change in changes where change.kind == .removed && change.changedAt >= time && change.method.linkedAt < time
        {
            _ = try restore(change.method, in: store)
        }
    }

    /// Gives a user an identity back.
    ///
    /// - Returns: whether the user has it now; `false` where it is another user's.
    private func restore(_ method: LinkedIdentity, in store: some AccountStore) throws -> Bool {
        let identity = method.identity
        if let owner = try store.identity(identity.subject, at: identity.provider) { return owner.uid == identity.uid }
        try store.restore(method)
        return true
    }
}
