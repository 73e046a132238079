/// What is stored about the move from a project at Firebase.
package protocol FirebaseStore {
    /// Returns the `sid` of the session that a session at Firebase became; `nil` if it has not moved.
    ///
    /// - Parameters:
    ///   - uid: the UID at Firebase.
    ///   - authTime: the session's `auth_time` at Firebase, in seconds since 1970.
    func adoptedSession(of uid: String, authTime: Int64) throws -> String?
    /// Returns the session that a refresh token of Firebase became, by the token's keyed hashes under all secrets;
    /// `nil` if the token was never presented.
    func adoptedSession(ofToken digests: [String]) throws -> (sid: String, uid: String)?
    /// Records which session a session at Firebase became.
    ///
    /// - Returns: false if it has become another one already.
    func insertAdoptedSession(_ sid: String, of uid: String, authTime: Int64) throws -> Bool
    /// Records the keyed hash of a refresh token of Firebase with its session here; does nothing if it is recorded.
    func insertAdoptedToken(_ digest: String, sid: String, uid: String) throws
    /// Returns what is known about a user of the project; `nil` for nothing.
    func firebaseUser(_ uid: String) throws -> FirebaseUser?
    /// Whether the user has a session here, ended or not.
    func hasSession(_ uid: String) throws -> Bool
    /// Records a change to a user who is marked as imported; does nothing for others.
    func recordFirebaseChange(of uid: String, endsSessions: Bool) throws
    /// Records that a session of the user has moved now.
    func recordFirebaseMove(of uid: String, isGuest: Bool) throws
    /// Records when users were last seen while calls are forwarded.
    func recordFirebaseSightings(_ sightings: [FirebaseSighting]) throws
    /// Records when users last refreshed a token at Firebase, as an import says, in milliseconds since 1970.
    func recordFirebaseRefreshes(_ refreshes: [(uid: String, at: Int64)]) throws
    /// Adds to a count for the operator.
    func addFirebaseCount(_ name: String, by count: Int64) throws
    /// Sets a count for the operator, unless it is higher already.
    func raiseFirebaseCount(_ name: String, to value: Int64) throws
    /// Returns the counts for the operator, by name.
    func firebaseCounts() throws -> [(name: String, value: Int64)]
    /// Counts the sessions that moved by a refresh token, so that a browser has the new one.
    ///
    /// The other sessions moved by an ID token only. Their browsers still have nothing but the old refresh token.
    func countAdoptedSessionsWithToken() throws -> Int64
    /// Counts the users and sessions of the project.
    func firebaseTotals() throws -> FirebaseTotals
    /// Returns users who have moved, the latest first.
    func movedFirebaseUsers(limit: Int) throws -> [FirebaseUserReport]
    /// Returns users who have not moved, the most recently seen first.
    func unmovedFirebaseUsers(limit: Int) throws -> [FirebaseUserReport]
    /// Returns users who refreshed a token at Firebase after they moved, the latest first.
    func returningFirebaseUsers(limit: Int) throws -> [FirebaseUserReport]
}

/// What is known about a user of the project at Firebase, with times in milliseconds since 1970.
package struct FirebaseUser: Sendable, Equatable {
    /// When the imported user was last changed here, other than by a session; `nil` if never.
    package let changedAt: Int64?
    /// When all sessions of the imported user last ended here; `nil` if they never did.
    package let endedAt: Int64?
    /// When a session of the user last moved; `nil` if none has.
    package let movedAt: Int64?

    /// Makes a value from its stored parts.
    package init(changedAt: Int64?, endedAt: Int64?, movedAt: Int64?) {
        self.changedAt = changedAt
        self.endedAt = endedAt
        self.movedAt = movedAt
    }
}

/// A user whom an answer of Firebase's named while calls are forwarded.
package struct FirebaseSighting: Sendable, Equatable {
    package let uid: String
    /// Whether the user is a guest; `nil` if the answer does not say.
    package let isGuest: Bool?
    /// When, in milliseconds since 1970.
    package let at: Int64

    /// Makes a sighting.
    package init(uid: String, isGuest: Bool?, at: Int64) {
        self.uid = uid
        self.isGuest = isGuest
        self.at = at
    }
}

/// The numbers of users and sessions of the project at Firebase.
package struct FirebaseTotals: Sendable, Equatable {
    /// Users with a session that has moved.
    package let movedUsers: Int64
    package let movedSessions: Int64
    /// Users who were imported, or seen in the phase `pass`, and have no session that moved.
    package let unmovedUsers: Int64
    /// Those of them who are guests, as far as is known.
    package let unmovedGuests: Int64
    /// Sessions that have not moved, as far as is known: one for each of those users who was seen at Firebase.
    ///
    /// A session is known only once one of its tokens arrives in the phase `adopt`. Users may have further ones.
    package let unmovedSessions: Int64
    /// When the one of them was seen who was not seen for the longest time, in milliseconds since 1970; `nil` if none
    /// was ever seen.
    package let oldestUnmovedSeenAt: Int64?

    /// Makes totals from their parts.
    package init(
        movedUsers: Int64 = 0,
        movedSessions: Int64 = 0,
        unmovedUsers: Int64 = 0,
        unmovedGuests: Int64 = 0,
        unmovedSessions: Int64 = 0,
        oldestUnmovedSeenAt: Int64? = nil
    ) {
        self.movedUsers = movedUsers
        self.movedSessions = movedSessions
        self.unmovedUsers = unmovedUsers
        self.unmovedGuests = unmovedGuests
        self.unmovedSessions = unmovedSessions
        self.oldestUnmovedSeenAt = oldestUnmovedSeenAt
    }
}

/// A user of the project, for the operator, with times in milliseconds since 1970.
package struct FirebaseUserReport: Sendable, Equatable {
    package let uid: String
    package let isGuest: Bool?
    package let seenAt: Int64?
    package let movedAt: Int64?
    package let refreshedThereAt: Int64?

    /// Makes a report from its stored parts.
    package init(uid: String, isGuest: Bool?, seenAt: Int64?, movedAt: Int64?, refreshedThereAt: Int64?) {
        self.uid = uid
        self.isGuest = isGuest
        self.seenAt = seenAt
        self.movedAt = movedAt
        self.refreshedThereAt = refreshedThereAt
    }
}
