extension Auth {
    /// Claims a username, or changes to another one; the one before is free for others then.
    ///
    /// Usernames are unique without regard to case, and keep the spelling in which they were claimed.
    ///
    /// - Parameter username: 3 to 30 of ASCII letters, digits, `_`, `.` and `-`.
    /// - Returns: The user as it is then.
    /// - Throws: ``AuthError/Code/usernameTaken``, ``AuthError/Code/usernameReserved``,
    ///   ``AuthError/Code/invalidUsername``, and as ``reload()``.
    @discardableResult
    public func setUsername(_ username: String) async throws(AuthError) -> User {
        try await replaceUsername(with: username)
    }

    /// Gives the username back, for others to claim.
    ///
    /// - Returns: The user as it is then.
    /// - Throws: As ``reload()``.
    @discardableResult
    public func releaseUsername() async throws(AuthError) -> User {
        try await replaceUsername(with: nil)
    }

    /// Asks who has a username; how often that may be asked is limited.
    ///
    /// - Parameter username: In any case.
    /// - Returns: Whether it is free, and whose it is.
    /// - Throws: ``AuthError/Code/invalidUsername``, ``AuthError/Code/tooManyRequests``, ``AuthError/Code/noCurrentUser``.
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

/// What is known of a username.
public struct UsernameEntry: Sendable, Equatable {
    /// The name, as its owner spells it.
    public let username: String
    /// Whether it could be claimed now.
    public let isAvailable: Bool
    /// The UID of the user who has it.
    public let uid: String?
}
