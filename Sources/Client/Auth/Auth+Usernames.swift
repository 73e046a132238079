extension Auth {
    /// Claims a username for the signed-in user.
    ///
    /// The user's previous username becomes available to other users.
    ///
    /// Usernames are unique without regard to case, and keep the spelling in which they were claimed.
    ///
    /// - Parameter username: 3 to 30 of ASCII letters, digits, `_`, `.` and `-`.
    /// - Returns: the updated user.
    /// - Throws: ``AuthError/Code/usernameTaken``, ``AuthError/Code/usernameReserved``,
    ///   ``AuthError/Code/invalidUsername``, and as ``reload()``.
    @discardableResult
    public func setUsername(_ username: String) async throws(AuthError) -> User {
        try await replaceUsername(with: username)
    }

    /// Releases the signed-in user's username, so that other users can claim it.
    ///
    /// - Returns: the updated user.
    /// - Throws: as ``reload()``.
    @discardableResult
    public func releaseUsername() async throws(AuthError) -> User {
        try await replaceUsername(with: nil)
    }

    /// Looks up the owner of a username.
    ///
    /// The number of look-ups is limited.
    ///
    /// - Parameter username: the username, ignoring case.
    /// - Returns: whether it is available, and its owner.
    /// - Throws: ``AuthError/Code/invalidUsername``, ``AuthError/Code/tooManyRequests``, and as ``reload()``.
    public func username(named username: String) async throws(AuthError) -> UsernameEntry {
        try await withToken { token async throws(AuthError) in
            let answer = try await self.api.username(username, idToken: token)
            return UsernameEntry(username: answer.username, isAvailable: answer.available, uid: answer.localId)
        }
    }

    private func replaceUsername(with username: String?) async throws(AuthError) -> User {
        try await exclusively { () async throws(AuthError) -> User in
            let answer = try await self.presentingToken { token async throws(AuthError) in
                try await self.api.setUsername(UsernameBody(username: username), idToken: token)
            }
            try self.commit { $0.session?.user.username = answer.username }
            return try self.session().user
        }
    }
}

/// The availability of a username.
public struct UsernameEntry: Sendable, Equatable {
    /// The username as its owner spells it; as it was asked for if there is no owner.
    public let username: String
    /// Whether the username could be claimed now: no user has it, and the operator has not reserved it.
    public let isAvailable: Bool
    /// The UID of the username's owner; `nil` if no user has it.
    public let uid: String?
}
