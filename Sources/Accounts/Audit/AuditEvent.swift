/// The events of the audit log, by the names under which it stores them.
///
/// An event may have the UID of the user that it concerns, and a detail. Neither contains an address or a secret.
package enum AuditEvent: String, Sendable {
    case userCreated = "user.created"
    case userLinked = "user.linked"
    case userSignedIn = "user.signed-in"
    case userDeleted = "user.deleted"
    /// A session was opened with a token of the system that the user was imported from.
    case userExchanged = "user.exchanged"
    /// The user or an administrator changed the user; the detail names the parts that changed.
    case userChanged = "user.changed"
    /// A guest was merged into another user; the detail is that user's UID.
    case userMerged = "user.merged"
    /// A batch of users was imported; the detail is the number of users who were created or replaced.
    case usersImported = "users.imported"
    /// A file with all users was written; the detail is their number.
    case usersExported = "users.exported"
    /// A user and what was left of their requests was deleted; the detail counts what.
    case userErased = "user.erased"
    /// Counters, denials and a suppression of a user, an address or a network were deleted; the detail counts them.
    case limitsLifted = "limits.lifted"
    /// A file with the data of one user was written.
    case userExported = "user.exported"
    /// A device of the user signed out.
    case userSignedOut = "user.signed-out"
    /// The user set or removed their username, which the detail tells apart.
    case usernameChanged = "username.changed"
    /// An administrator made a link without an e-mail; the detail is its purpose.
    case linkMade = "link.made"
    case emailVerified = "email.verified"
    case emailChanged = "email.changed"
    case emailRecovered = "email.recovered"
    /// The owner of a mailbox answered that they did not request an e-mail to verify or change an address, which ended
    /// its link; for a sign-in e-mail, the event is ``ticketDenied``.
    case emailDenied = "email.denied"
    /// The owner of an account's address proved it by a sign-in for the first time, which ended all earlier sessions,
    /// identities and e-mail links of the account except recovery links.
    case userTakenOver = "user.taken-over"
    /// The owner of an account's old address objected to a takeover, which disabled the account (``Contest``).
    case userContested = "user.contested"
    /// An operator or administrator resolved a contest; the detail is the address that keeps the account: `new` or
    /// `old`.
    case userResolved = "user.resolved"
    case providerUnlinked = "provider.unlinked"
    /// The link of a notice reverted a change of sign-in methods; the detail names the providers.
    case methodChangeReverted = "method-change.reverted"
    /// A notice was not sent, because a mail server reported its mailbox as nonexistent; the detail is the e-mail's id.
    case noticeSuppressed = "notice.suppressed"
    case sessionReused = "session.reused"
    /// The user or an administrator ended a session by its `sid`, which is the detail; a sign-out does not count.
    case sessionEnded = "session.ended"
    /// Sessions ended because the user had more than ``Policy/sessionsPerUser``.
    case sessionsLimited = "sessions.limited"
    case ticketApproved = "ticket.approved"
    case ticketDenied = "ticket.denied"
    case ticketWrongDigits = "ticket.wrong-digits"
    case reviewSignedIn = "review.signed-in"
    case cleanupChanged = "cleanup.changed"
    case projectConfigChanged = "project.changed"
    /// The user became an administrator, or may do more or less than before; the detail is `read-only` or nothing.
    case administratorAdded = "administrator.added"
    case administratorRemoved = "administrator.removed"
    /// A new signing key was made; the detail is its `kid`.
    case keyRotated = "key.rotated"
    /// Stored data was encrypted with the newest secret; the detail is the number of signing keys.
    case keysResealed = "keys.resealed"
    /// A waiting e-mail was made due; the detail is its id.
    case mailRetried = "mail.retried"
    /// The suppression of an address was ended by command; there is no detail, because it would be the address.
    case mailAllowed = "mail.allowed"
    /// A message to a hook was made due; the detail is its id.
    case hookRetried = "hook.retried"
    /// A URL of the console was made; the detail is the name of the person who will use it.
    case consoleURLMade = "console.url-made"
    /// The console was opened; the detail is `url` or `email`.
    case consoleOpened = "console.opened"
    /// The user wrote or deleted documents of their own, at most once in ``DocumentUsage/auditInterval``; the detail names
    /// the collections of the call, but no document, because names may be personal and the log outlives the user.
    case documentsChanged = "documents.changed"
    /// The content of a document was read on the console; the detail is the document's name.
    case documentRead = "document.read"
    /// An administrator sent the user a sign-in e-mail on the console.
    case signInMailSent = "sign-in-mail.sent"
    /// An administrator requested an e-mail by the API; the detail is its purpose, as ``linkMade`` names it.
    case mailRequested = "mail.requested"
    /// The operator changed the phase of the move from Firebase; the detail is the new phase.
    case firebasePhaseChanged = "firebase.phase-changed"
}
