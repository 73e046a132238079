/// The result of looking up a username.
package struct UsernameAnswer: Sendable, Equatable {
    /// The username as its holder spells it, or as requested if no user has it.
    package let username: String
    /// Whether a user could claim the username: no user has it, and it is not reserved.
    package let isAvailable: Bool
    /// The UID of the username's owner; `nil` if no user has it, even if it is reserved.
    package let uid: String?
}

extension AccountFlows {
    /// Gives the user of an ID token a username in place of the previous one, or removes it.
    ///
    /// Users may always keep or respell their own username, even if it has become a reserved word.
    ///
    /// - Parameters:
    ///   - username: the new username, or `nil` to remove the user's username.
    ///   - token: the user's ID token.
    ///   - store: the transaction.
    /// - Returns: the token's user.
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS, USERNAME_TAKEN, USERNAME_RESERVED, or those of ``authenticate(_:in:)``.
    package func setUsername(
        _ username: Username?,
        of token: PresentedToken,
        in store: some AccountStore
    ) throws -> User {
        // A merge of the user moves the username under this lock.
        try store.lockUsers([token.uid])
        let (user, _) = try authenticate(token, in: store)
        try user.refuseIfMergeSuspended()
        guard let username else {
            try store.releaseUsername(of: user.uid)
            try auditRepeatable(.usernameChanged, uid: user.uid, detail: "removed", in: store)
            return user
        }
        if let holder = try store.holder(of: username) {
            guard holder.uid == user.uid else { throw Refusal(.usernameTaken) }
        } else {
            guard !isReserved(username) else { throw Refusal(.usernameReserved) }
        }
        try store.setUsername(username, of: user.uid)
        try auditRepeatable(.usernameChanged, uid: user.uid, detail: "set", in: store)
        return user
    }

    /// Returns whether a username is available and which user has it, for the user of an ID token.
    ///
    /// - Throws: ``Refusal``, as ``authenticate(_:in:)`` does.
    package func findUsername(
        _ username: Username,
        for token: PresentedToken,
        in store: some AccountStore
    ) throws -> UsernameAnswer {
        _ = try authenticate(token, in: store)
        guard let holder = try store.holder(of: username) else {
            return UsernameAnswer(username: username.text, isAvailable: !isReserved(username), uid: nil)
        }
        return UsernameAnswer(username: holder.username, isAvailable: false, uid: holder.uid)
    }

    private func isReserved(_ username: Username) -> Bool {
        policy.reservedUsernames.contains(username.bare)
    }
}

extension User {
    /// Refuses to change a guest that a merge has suspended while hooks are asked (``mergeID``).
    ///
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS.
    package func refuseIfMergeSuspended() throws {
        guard mergeID == nil else { throw Refusal(.mergeInProgress, retryAfter: 1) }
    }
}
