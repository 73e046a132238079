/// A session and its user as far as a stream of changes depends on them; asked again and again.
package struct ListeningSession: Sendable, Equatable {
    /// The session's user, while there is one.
    package struct User: Sendable, Equatable {
        package let disabledAt: Int64?
        /// Seconds since 1970.
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
    /// When the user signed in.
    ///
    /// Seconds since 1970.
    package let authTime: Int64
    package let endedAt: Int64?
    package let endReason: SessionEnd?
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
