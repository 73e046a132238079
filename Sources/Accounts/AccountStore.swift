/// What the flows ask of a transaction.
///
/// Every call belongs to the one transaction that the store stands for; what it reads is consistent, and what it writes is
/// durable when the transaction has been committed, or never happened.
package protocol AccountStore {
    /// The database's clock, one value for the whole transaction. Milliseconds since 1970.
    var now: Int64 { get }

    // Users
    func user(_ uid: String) throws -> User?
    func user(email: String) throws -> User?
    func insert(_ user: User) throws
    func update(_ user: User) throws
    /// Notes a refresh, and nothing else.
    func touchUser(_ uid: String) throws
    /// Deletes the user with all that is theirs; their sessions stay, to be remembered as ended.
    func deleteUser(_ uid: String) throws
    func identities(of uid: String) throws -> [Identity]
    func deleteIdentity(of uid: String, provider: String) throws

    // Sessions
    /// The session and its user in one round trip.
    func sessionAndUser(_ sid: String) throws -> (session: Session, user: User?)?
    func insert(_ session: Session) throws
    /// Stores the session's generation and times.
    func update(_ session: Session) throws
    func endSession(_ sid: String, reason: SessionEnd) throws
    /// Ends the user's living sessions, but for one.
    func endSessions(of uid: String, except sid: String?, reason: SessionEnd) throws
    /// Deletes the sessions of a user who still exists; it comes before ``deleteUser(_:)``.
    func deleteSessions(of uid: String) throws

    // Tickets and action codes
    func ticket(_ id: String) throws -> Ticket?
    func insert(_ ticket: Ticket) throws
    /// Stores all that may change of a ticket, if it still is in the given state; answers whether it was.
    func update(_ ticket: Ticket, from state: TicketState) throws -> Bool
    func actionCode(_ id: String) throws -> StoredActionCode?
    func insert(_ code: StoredActionCode) throws
    /// Marks the code used if nobody did before; answers whether it was this call.
    func useActionCode(_ id: String) throws -> Bool
    /// Ends the links that were mailed about a user.
    func endActionCodes(of uid: String) throws

    // Mail
    /// Queues a mail; `payload` is its sealed form.
    func queue(_ mail: QueuedMail, payload: String) throws

    // Limits
    /// Counts one use of `name` in the current window.
    ///
    /// - Returns: how often it has been used now, and the milliseconds until the window ends.
    func count(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64)
    /// How often `name` has been used in the current window.
    func used(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64)

    // The operator's own tables
    /// Gives every row of the operator's tables that is the guest's to another user.
    ///
    /// Its transaction must not be shared with others: the operator's triggers run in it.
    ///
    /// - Throws: ``MergeBlocked`` when a table does not allow it; then the whole transaction must be given up.
    func moveRows(from guest: String, to target: String) throws -> [RowMove]
    /// The users that cannot be deleted, since rows of the operator's tables stand in the way.
    ///
    /// - Returns: the table for each such user.
    func blockers(of uids: [String]) throws -> [String: String]

    // Settings and audit
    func administrators() throws -> [String]
    func audit(_ event: AuditEvent, uid: String?, detail: String?) throws
}

/// What the audit log records.
///
/// Never with an address or a secret.
package enum AuditEvent: String, Sendable {
    case userCreated = "user.created"
    case userLinked = "user.linked"
    case userSignedIn = "user.signed-in"
    case userDeleted = "user.deleted"
    case emailVerified = "email.verified"
    case emailChanged = "email.changed"
    case emailRecovered = "email.recovered"
    case providerUnlinked = "provider.unlinked"
    case sessionReused = "session.reused"
    case ticketApproved = "ticket.approved"
    case ticketDenied = "ticket.denied"
    case ticketWrongDigits = "ticket.wrong-digits"
    case reviewSignedIn = "review.signed-in"
}
