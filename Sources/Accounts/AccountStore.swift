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

    // Documents
    func document(_ name: DocumentName, of uid: String) throws -> Document?
    /// Version and size of a document, without reading what it holds.
    func documentState(_ name: DocumentName, of uid: String) throws -> DocumentState?
    /// Documents by collection and id in ascending order, after a given one: at most `limit`, and after the first no more
    /// than hold `maximumBytes` together.
    func documents(
        of uid: String,
        in collection: String?,
        after last: DocumentName?,
        limit: Int,
        maximumBytes: Int
    ) throws -> DocumentPage
    /// Counts changes to a user's documents; comes before the changes themselves, which get the numbers.
    ///
    /// - Returns: where the user's counts stand now.
    func count(_ changes: DocumentChanges, of uid: String) throws -> DocumentUsage
    /// Stores a document, new or in place of the one of its name, and notes the change under the document's version.
    func put(_ document: Document, of uid: String) throws
    /// Deletes a document and notes the change under `number`.
    func deleteDocument(_ name: DocumentName, of uid: String, number: Int64) throws
    /// Forgets what changed, up to and with a number.
    func deleteChanges(of uid: String, through number: Int64) throws

    // Limits
    /// Counts one use of `name` in the current window.
    ///
    /// - Returns: how often it has been used now, and the milliseconds until the window ends.
    func count(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64)
    /// How often `name` has been used in the current window.
    func used(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64)

    // Listening
    /// Who a user that is gone was merged into.
    func successor(of uid: String) throws -> String?

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
