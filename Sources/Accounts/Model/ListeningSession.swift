/// The parts of a session and its user that decide whether a change stream goes on, and what it must read.
///
/// Times are milliseconds since 1970, except where noted.
package struct ListeningSession: Sendable, Equatable {
    /// The session's user.
    package struct User: Sendable, Equatable {
        /// When an administrator disabled the user, or else when the account became contested (``Contest``); `nil` if
        /// neither is the case now.
        package let disabledAt: Int64?
        /// The time before which issued tokens are invalid, in seconds since 1970.
        package let validSince: Int64
        /// The number of the newest change to the user's documents.
        package let changeNumber: Int64
        package let isAnonymous: Bool

        /// Makes a user from its columns.
        package init(disabledAt: Int64?, validSince: Int64, changeNumber: Int64, isAnonymous: Bool) {
            self.disabledAt = disabledAt
            self.validSince = validSince
            self.changeNumber = changeNumber
            self.isAnonymous = isAnonymous
        }
    }

    package let sid: String
    package let uid: String
    package let lastUsedAt: Int64
    /// The time of the sign-in, in seconds since 1970.
    package let authTime: Int64
    package let endedAt: Int64?
    package let endReason: SessionEnd?
    /// The session's user; `nil` if the user no longer exists.
    package let user: User?

    /// Makes a session from its columns.
    package init(
        sid: String,
        uid: String,
        lastUsedAt: Int64,
        authTime: Int64,
        endedAt: Int64?,
        endReason: SessionEnd?,
        user: User?
    ) {
        self.sid = sid
        self.uid = uid
        self.lastUsedAt = lastUsedAt
        self.authTime = authTime
        self.endedAt = endedAt
        self.endReason = endReason
        self.user = user
    }
}
