internal import AccountDatabase
internal import Accounts
internal import Database

/// A signing key, as operators see it.
package struct SigningKeyReport: Sendable, Encodable {
    package let kid: String
    package let algorithm: String
    /// `next` (published, does not sign yet), `signing` or `retiring` (published for tokens that are still valid).
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

/// The result of ``Operator/resealKeys()``.
package struct ResealReport: Sendable, Encodable {
    /// The number of keys that were encrypted with an older secret.
    package let keys: Int
    /// The number of waiting e-mails that still need an older secret.
    ///
    /// The older secret must stay configured until these e-mails no longer wait.
    package let waitingMails: Int
}

/// An e-mail of the outbox, as operators see it, without its content and recipient.
package struct OutboxReport: Sendable, Encodable {
    package let id: String
    package let kind: String
    /// `waiting`, `sent`, `failed` or `moot` (not sent, because it was no longer needed).
    package let state: String
    package let attempts: Int64
    package let queuedAt: String
    /// The time of the next attempt, or while a server works on it, the end of that server's lease; `nil` unless the
    /// state is `waiting`.
    package let dueAt: String?
    /// When the e-mail was sent, failed or turned out not to be needed; `nil` while it waits.
    package let settledAt: String?
    /// Why the e-mail failed or waits for another attempt, such as the last answer of the mail server; `nil` without a
    /// reason.
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

/// A message to a hook, as operators see it.
package struct HookMessageReport: Sendable, Encodable {
    /// The `webhook-id` that the hook sees.
    package let id: String
    package let hook: String
    package let event: String
    /// The merge that the message is about; `nil` for other events.
    package let mergeID: String?
    /// `asked` (a merge that is being prepared waits for the answer), `waiting`, `delivered` or `failed`.
    package let state: String
    package let attempts: Int64
    package let queuedAt: String
    /// The time of the next attempt, or while a server works on it, the end of that server's lease; `nil` unless the
    /// state is `waiting`.
    package let dueAt: String?
    /// When the message was delivered or failed; `nil` until then.
    package let settledAt: String?
    /// Why the hook has not accepted the message so far, such as the status that it answered; `nil` without a reason.
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

/// A live session of a user, as operators see it.
package struct SessionReport: Sendable, Encodable {
    package let id: String
    /// The device, as its sign-in described it; empty if it did not.
    package let device: String
    /// The label of the network that the session began in; `nil` if unknown.
    package let network: String?
    /// The sign-in method that the session began with.
    package let signInProvider: String
    package let createdAt: String
    package let lastUsedAt: String

    init(_ session: Session) {
        id = session.sid
        device = session.device
        network = session.network
        signInProvider = session.provider.rawValue
        createdAt = Timestamp.rfc3339(milliseconds: session.createdAt)
        lastUsedAt = Timestamp.rfc3339(milliseconds: session.lastUsedAt)
    }
}

/// A user, as operators see them.
package struct UserReport: Sendable, Encodable {
    package let uid: String
    package let email: String?
    package let emailVerified: Bool
    package let isAnonymous: Bool
    package let isDisabled: Bool
    /// When the owner of the old address objected to a change of the account's address; `nil` for an account that is
    /// not contested.
    package let contestedAt: String?
    /// The old address, whose owner objected; `nil` for an account that is not contested.
    package let contestedBy: String?
    package let isAdministrator: Bool
    package let displayName: String?
    /// The username; `nil` for a user without one.
    ///
    /// A list of users leaves it out.
    package let username: String?
    /// The user's sign-in methods: `emailLink`, and the IDs of identity providers, which a list of users leaves out.
    package let providers: [String]
    package let createdAt: String
    package let lastLoginAt: String
    package let lastRefreshAt: String
    /// The live sessions, the most recently used first; `nil` in a list of users.
    package var sessions: [SessionReport]?

    init(_ user: User, username: String?, identities: [Identity], isAdministrator: Bool) {
        uid = user.uid
        email = user.email
        emailVerified = user.emailVerifiedAt != nil
        isAnonymous = user.isAnonymous
        isDisabled = user.isDisabled
        contestedAt = user.contest.map { Timestamp.rfc3339(milliseconds: $0.since) }
        contestedBy = user.contest?.oldEmail
        self.isAdministrator = isAdministrator
        displayName = user.displayName
        self.username = username
        providers = (user.emailLinkAt == nil ? [] : ["emailLink"]) + identities.map(\.provider)
        createdAt = Timestamp.rfc3339(milliseconds: user.createdAt)
        lastLoginAt = Timestamp.rfc3339(milliseconds: user.lastLoginAt)
        lastRefreshAt = Timestamp.rfc3339(milliseconds: user.lastRefreshAt)
    }
}

/// The result of a test e-mail.
package struct MailTestReport: Sendable, Encodable {
    package let server: String
    package let accepted: Bool
    /// The server's answer to the message, or what went wrong.
    package let answer: String
    /// What to do about a failure; `nil` if the e-mail was accepted.
    package let advice: String?
    /// Version and cipher of TLS; `nil` for a connection in clear text.
    package let tls: String?
    /// What was said, each line with `>` for this side, `<` for the server, and `*` for a remark.
    package let dialogue: [String]
}
