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
    /// Deletes a user with all that is still theirs, and remembers who has it now; their sessions stay, ended.
    func deleteUser(_ uid: String, mergedInto successor: String) throws
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

    // Hooks
    /// Queues a message, unless there is one with its id.
    func queue(_ message: HookMessage) throws
    /// Writes down that a hook is being asked.
    func noteQuestion(_ question: HookMessage) throws
    /// Notes that asking about a merge is over.
    ///
    /// - Returns: the hooks that were asked.
    func settleQuestions(of merge: String) throws -> [String]
    /// Writes down a merge that hooks are asked about, and holds its guest.
    func prepareMerge(_ id: String, of guest: String, into target: String, lease: Int64) throws
    /// Cancels a merge that is being prepared and gives its guest back; answers whom it was about, `nil` if it was settled.
    func cancelMerge(_ id: String, reason: String) throws -> (guest: String, target: String)?
    /// The merges that are being prepared and whose lease is over.
    func abandonedMerges(limit: Int) throws -> [String]

    // Limits
    /// Counts one use of `name` in the current window.
    ///
    /// - Returns: how often it has been used now, and the milliseconds until the window ends.
    func count(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64)
    /// How often `name` has been used in the current window.
    func used(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64)

    // Merges
    /// Stores a merge, or what became of it.
    func put(_ merge: StoredMerge) throws
    func merge(_ id: String) throws -> StoredMerge?
    /// The merge that a user was merged away by.
    func committedMerge(of uid: String) throws -> StoredMerge?
    /// How many documents a user has, by collection in ascending order.
    func documentCounts(of uid: String) throws -> [(collection: String, count: Int64)]
    /// The documents of a guest that have the name of one of another user's, by collection and name in ascending order.
    func documentConflicts(of guest: String, with target: String) throws -> [DocumentConflict]
    /// What the document in a row holds.
    func documentContent(row: Int64) throws -> String
    func setDocumentContent(row: Int64, to content: String) throws
    func renameDocument(row: Int64, to name: String) throws
    /// Whether any of these users has a document of this name.
    func hasDocument(_ name: String, in collection: String, of uids: [String]) throws -> Bool
    /// Deletes documents whose owner is about to go, or that another takes the place of; counts of `owner` follow.
    func deleteDocuments(rows: [Int64], of owner: String) throws
    /// Moves all documents of a guest, none of which has the name of one of the target's, each under a change number of the
    /// target; up to a limit the changes themselves are noted for listeners.
    func moveDocuments(from guest: String, to target: String, noting limit: Int) throws
    /// Moves a guest's username to a user who has none.
    ///
    /// - Returns: the guest's username and whether it moved; `nil` where the guest has none.
    func moveUsername(from guest: String, to target: String) throws -> (name: String, moved: Bool)?
    /// Moves the rows of the operator's own tables.
    ///
    /// - Throws: ``MergeBlocked`` where a table does not allow it.
    func moveRows(from guest: String, to target: String) throws -> [RowMove]

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
    /// Its detail is the UID of who has everything now.
    case userMerged = "user.merged"
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
