internal import Accounts
internal import Database

/// A signing key, for operators.
package struct SigningKeyReport: Sendable, Encodable {
    package let kid: String
    package let algorithm: String
    /// `next` (published, does not sign yet), `signing` or `retiring` (published for tokens that still live).
    package let state: String
    package let createdAt: String
    package let signsFrom: String
    package let retiredAt: String?

    init(_ key: StoredSigningKey, isSigning: Bool) {
        kid = key.kid
        algorithm = key.algorithm
        state = isSigning ? "signing" : key.retiredAt == nil ? "next" : "retiring"
        createdAt = Timestamp.rfc3339(milliseconds: key.createdAt)
        signsFrom = Timestamp.rfc3339(milliseconds: key.signsFrom)
        retiredAt = key.retiredAt.map { Timestamp.rfc3339(milliseconds: $0) }
    }
}

/// What resealing did.
package struct ResealReport: Sendable, Encodable {
    /// Keys that were sealed under an older secret until now.
    package let keys: Int
    /// Mails that still need an older secret; they are gone within a day.
    package let waitingMails: Int
}

/// A mail of the outbox, for operators: never what it says, nor to whom it goes.
package struct OutboxReport: Sendable, Encodable {
    package let id: String
    package let kind: String
    /// `waiting`, `sent`, `failed` or `moot`.
    package let state: String
    package let attempts: Int64
    package let queuedAt: String
    /// When it is tried next.
    package let dueAt: String?
    package let settledAt: String?
    /// What the mail server said last.
    package let reason: String?

    init(_ entry: OutboxEntry) {
        id = entry.mail
        kind = entry.kind
        state = entry.state == .queued ? "waiting" : entry.state.rawValue
        attempts = entry.attempts
        queuedAt = Timestamp.rfc3339(milliseconds: entry.createdAt)
        dueAt = entry.state == .queued ? Timestamp.rfc3339(milliseconds: entry.dueAt) : nil
        settledAt = entry.settledAt.map { Timestamp.rfc3339(milliseconds: $0) }
        reason = entry.reason
    }
}

/// A message to a hook, for operators.
package struct HookMessageReport: Sendable, Encodable {
    /// The `webhook-id` that the hook sees.
    package let id: String
    package let hook: String
    package let event: String
    /// The merge that it is about.
    package let mergeID: String?
    /// `asked` (the question of a merge that is being prepared), `waiting`, `delivered` or `failed`.
    package let state: String
    package let attempts: Int64
    package let queuedAt: String
    /// When it is tried next.
    package let dueAt: String?
    package let settledAt: String?
    /// What the hook answered last, where that was not 2xx.
    package let reason: String?

    init(_ entry: HookEntry) {
        id = entry.id
        hook = entry.hook
        event = entry.event
        mergeID = entry.merge
        state = entry.state == .queued ? "waiting" : entry.state.rawValue
        attempts = entry.attempts
        queuedAt = Timestamp.rfc3339(milliseconds: entry.createdAt)
        dueAt = entry.state == .queued ? Timestamp.rfc3339(milliseconds: entry.dueAt) : nil
        settledAt = entry.settledAt.map { Timestamp.rfc3339(milliseconds: $0) }
        reason = entry.reason
    }
}

/// A user, for operators.
package struct UserReport: Sendable, Encodable {
    package let uid: String
    package let email: String?
    package let emailVerified: Bool
    package let isAnonymous: Bool
    package let isDisabled: Bool
    /// When the owner of the old address objected to a takeover, and that address; `nil` for an account that is not contested.
    package let contestedAt: String?
    package let contestedBy: String?
    package let isAdministrator: Bool
    package let displayName: String?
    package let providers: [String]
    package let createdAt: String
    package let lastLoginAt: String
    package let lastRefreshAt: String

    init(_ user: User, identities: [Identity], isAdministrator: Bool) {
        uid = user.uid
        email = user.email
        emailVerified = user.emailVerifiedAt != nil
        isAnonymous = user.isAnonymous
        isDisabled = user.isDisabled
        contestedAt = user.contest.map { Timestamp.rfc3339(milliseconds: $0.since) }
        contestedBy = user.contest?.oldEmail
        self.isAdministrator = isAdministrator
        displayName = user.displayName
        providers = (user.emailLinkAt == nil ? [] : ["emailLink"]) + identities.map(\.provider)
        createdAt = Timestamp.rfc3339(milliseconds: user.createdAt)
        lastLoginAt = Timestamp.rfc3339(milliseconds: user.lastLoginAt)
        lastRefreshAt = Timestamp.rfc3339(milliseconds: user.lastRefreshAt)
    }
}

/// What came of a test mail.
package struct MailTestReport: Sendable, Encodable {
    package let server: String
    package let accepted: Bool
    package let answer: String
}
