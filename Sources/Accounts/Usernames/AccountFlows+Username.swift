/// What somebody who looks for a username is told.
package struct UsernameAnswer: Sendable, Equatable {
    /// As its holder spells it, or as it was asked for.
    package let username: String
    /// Whether it could be claimed.
    package let isAvailable: Bool
    /// The user who has it.
    package let uid: String?
}

extension AccountFlows {
    /// Gives the user of an ID token a username in place of the one before, or takes it away.
    ///
    /// Whoever has a name keeps it: it may be spelled differently, even where it is a reserved word by now.
    ///
    /// - Parameters:
    ///   - username: the name, or `nil` for none.
    ///   - token: the user's.
    ///   - store: the transaction.
    /// - Returns: the user.
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS, USERNAME_TAKEN, USERNAME_RESERVED, or those of ``authenticate(_:in:)``.
    package func setUsername(
        _ username: Username?,
        of token: PresentedToken,
        in store: some AccountStore
    ) throws -> User {
        let (user, _) = try authenticate(token, in: store)
        try user.refuseIfHeld()
        guard let username else {
            try store.releaseUsername(of: user.uid)
            return user
        }
        if let holder = try store.holder(of: username) {
            guard holder.uid == user.uid else { throw Refusal(.usernameTaken) }
        } else {
            guard !isReserved(username) else { throw Refusal(.usernameReserved) }
        }
        try store.setUsername(username, of: user.uid)
        return user
    }

    /// Finds who has a username, for the user of an ID token.
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
    /// Refuses to change a guest that a merge holds.
    ///
    /// - Throws: ``Refusal`` MERGE_IN_PROGRESS.
    package func refuseIfHeld() throws {
        guard mergeID == nil else { throw Refusal(.mergeInProgress, retryAfter: 1) }
    }
}
