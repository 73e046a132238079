/// What the flows ask of a transaction.
///
/// Every call belongs to the one transaction that the store stands for; what it reads is consistent, and what it writes is
/// durable when the transaction has been committed, or never happened.
package protocol AccountStore {
    /// The database's clock, one value for the whole transaction. Milliseconds since 1970.
    var now: Int64 { get }

    /// Tells what is about to be asked, so that a store across a network can ask it all at once: for questions that do not depend
    /// on one another's answers, and come before any change. Each is answered as if there were no rows.
    func foresee(_ questions: (Self) throws -> Void) throws

    // Users
    func user(_ uid: String) throws -> User?
    func user(email: String) throws -> User?
    func insert(_ user: User) throws
    func update(_ user: User) throws
    /// Notes a refresh, and nothing else.
    func touchUser(_ uid: String) throws
    /// Has others who are about to change these users wait, rather than find out in the end that they met.
    ///
    /// Nothing is wrong without it. Whoever changes more of a user than one row, and not the user's own first, calls this before:
    /// with rows taken in one order, two transactions wait for one another instead of both for each other.
    func hold(_ uids: [String]) throws
    /// Deletes the user with all that is theirs, and remembers that there was one.
    ///
    /// Their sessions stay, to be remembered as ended.
    func deleteUser(_ uid: String, mergedInto successor: String?) throws
    /// What is kept of a user who is gone.
    func formerUser(_ uid: String) throws -> FormerUser?
    /// Forgets that there was a user, who is about to be one again.
    func forgetFormerUser(_ uid: String) throws
    func identities(of uid: String) throws -> [Identity]
    /// Those of the user who has the address.
    func identities(ofOwnerOf email: String) throws -> [Identity]
    func deleteIdentity(of uid: String, provider: String) throws
    /// Takes all providers off a user.
    func deleteIdentities(of uid: String) throws
    /// Takes the providers off a user that were linked at a time or later.
    func deleteIdentities(of uid: String, linkedSince time: Int64) throws
    /// The one user's identity of that name at a provider.
    func identity(_ subject: String, at provider: String) throws -> Identity?
    /// The oldest identity that bears an address.
    func identity(email: String) throws -> Identity?
    /// Stores an identity in place of the one that the user has at the same provider.
    ///
    /// The caller has made sure that no other user has (provider, subject).
    func put(_ identity: Identity) throws
    /// The user's identities with the times at which they were linked.
    func linkedIdentities(of uid: String) throws -> [LinkedIdentity]
    /// Takes this identity off its user; another one of the same provider stays.
    func deleteIdentity(_ identity: Identity) throws
    /// Gives an identity back to its user, in place of the one that the user has at the same provider.
    ///
    /// The caller has made sure that no other user has (provider, subject).
    func restore(_ method: LinkedIdentity) throws
    /// Notes the one use of a token of another issuer.
    ///
    /// - Parameters:
    ///   - digest: the token's SHA-256 as base64url.
    ///   - expiry: from when on the token is no good anyway. Milliseconds since 1970.
    /// - Returns: whether this was the first use.
    func spendToken(_ digest: String, until expiry: Int64) throws -> Bool

    // Sessions
    /// The session and its user in one round trip.
    func sessionAndUser(_ sid: String) throws -> (session: Session, user: User?)?
    func insert(_ session: Session) throws
    /// Stores the session's generation and times.
    func update(_ session: Session) throws
    /// How many sessions a user has had for tokens of another issuer.
    func countExchangedSessions(of uid: String) throws -> Int64
    func endSession(_ sid: String, reason: SessionEnd) throws
    /// Ends the user's living sessions, but for one.
    func endSessions(of uid: String, except sid: String?, reason: SessionEnd) throws
    /// Ends the user's living sessions that began before a time, in milliseconds since 1970.
    func endSessions(of uid: String, begunBefore time: Int64, reason: SessionEnd) throws
    /// Those of a user that have not been ended, the most recently used first.
    ///
    /// Some of them may be over all the same: unused for too long, or revoked.
    func sessions(of uid: String, limit: Int64) throws -> [Session]
    /// Those of these users who have more sessions that have not been ended, in ascending order.
    func users(among uids: [String], withMoreSessionsThan limit: Int64) throws -> [String]
    /// Ends the user's living sessions but for the most recently used ones.
    func endSessions(of uid: String, beyond limit: Int64, reason: SessionEnd) throws
    /// Deletes the sessions of a user who still exists; it comes before ``deleteUser(_:mergedInto:)``.
    func deleteSessions(of uid: String) throws

    // Tickets and action codes
    func ticket(_ id: String) throws -> Ticket?
    /// The ticket that a sign-in link belongs to.
    func ticket(ofCode code: String) throws -> Ticket?
    /// The newest tickets of an address that are open and have not expired.
    func openTickets(of email: String, limit: Int64) throws -> [Ticket]
    func insert(_ ticket: Ticket) throws
    /// Stores all that may change of a ticket, if it still is in the given state; answers whether it was.
    func update(_ ticket: Ticket, from state: TicketState) throws -> Bool
    func actionCode(_ id: String) throws -> StoredActionCode?
    func insert(_ code: StoredActionCode) throws
    /// Marks the code used if nobody did before; answers whether it was this call.
    func useActionCode(_ id: String) throws -> Bool
    /// Ends the links that were mailed about a user.
    func endActionCodes(of uid: String) throws
    /// Ends the links of some purposes that were mailed about a user.
    func endActionCodes(of uid: String, for purposes: [ActionPurpose]) throws
    /// Ends the links that were mailed about a user, except recovery links of before a time and links in notices.
    ///
    /// - Parameters:
    ///   - uid: the user.
    ///   - time: milliseconds since 1970; recovery links and notices of before stay.
    ///   - email: the address whose notices of changed sign-in methods stay; `nil` ends all notices.
    func endActionCodes(of uid: String, exceptThoseBefore time: Int64, andNoticesTo email: String?) throws
    /// Ends the links that were mailed about a user, except those of one purpose.
    func endActionCodes(of uid: String, sparing purpose: ActionPurpose) throws
    /// Ends the links that were mailed about a user up to a time, in milliseconds since 1970.
    func endActionCodes(of uid: String, madeBy time: Int64) throws

    // Notices
    /// Stores a changed sign-in method, which the link of its notice takes back.
    func insert(_ change: MethodChange) throws
    /// The changed sign-in methods of a user that were not forgotten yet, in their order.
    func methodChanges(of uid: String) throws -> [MethodChange]
    /// Forgets that an identity was removed, so that no notice restores it.
    func forgetRemovals(of identity: Identity) throws

    // Mail
    /// Queues a mail; `payload` is its sealed form.
    func queue(_ mail: QueuedMail, rank: MailRank, payload: String) throws
    /// Sends mails to a mailbox again that a mail server said does not exist; by its keyed hash.
    func endSuppression(of mailbox: String) throws

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
    /// Counts uses of `name` in the current window.
    ///
    /// - Returns: how often it has been used now, and the milliseconds until the window ends.
    func count(_ name: String, by uses: Int64, in window: Int64) throws -> (used: Int64, untilReset: Int64)
    /// Counts one use of `name` in the current window, for a caller that does not need the new count.
    func tally(_ name: String, in window: Int64) throws
    /// How often `name` has been used in the current window.
    func used(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64)

    /// Raises counters in one statement, in one order for all transactions, and asks questions in the same round trip.
    ///
    /// - Parameters:
    ///   - uses: the counters to raise, each once.
    ///   - address: the keyed hash of an address.
    ///   - knownClient: the keyed hash of the address with a client; where it is known, strangers' counters do not rise.
    ///   - time: milliseconds since 1970; a client that was last seen before is unknown.
    ///   - questions: asked as of before the change; may be called twice, first with answers without rows.
    /// - Returns: what the counters stand at now, and the answers.
    func raise<Answers>(
        _ uses: [CounterUse],
        of address: String,
        unlessKnown knownClient: String,
        since time: Int64,
        beside questions: (Self) throws -> Answers
    ) throws -> (RaisedCounters, Answers)
    /// Raises one counter.
    ///
    /// - Returns: what it stands at now.
    func raise(_ use: CounterUse) throws -> Int64
    /// Those of these counters that exist, whenever they began.
    func counters(_ names: [String]) throws -> [RunningCounter]
    /// Has a counter begin now, at zero, unless it began after a time, in milliseconds since 1970.
    func restart(_ name: String, ifBegunBy time: Int64) throws

    // Known clients
    /// Stores a client if its user still exists and has the address, and forgets the oldest clients beyond
    /// ``KnownClient/mostPerAddress``.
    ///
    /// Renews a client that is stored already only once its record is older than ``KnownClient/renewal``.
    func noteKnownClient(_ record: KnownClientRecord) throws
    /// Forgets the clients of addresses, given by their keyed hashes.
    func deleteKnownClients(ofAddresses addresses: [String]) throws

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

    // Usernames
    /// The user's, as they spell it.
    func username(of uid: String) throws -> String?
    func holder(of username: Username) throws -> UsernameHolder?
    /// Gives the user a name that nobody else has, in place of the one before.
    func setUsername(_ username: Username, of uid: String) throws
    func releaseUsername(of uid: String) throws

    // Clean-up
    /// Makes this worker the one that does something for so long from now, unless another one is; answers whether it is.
    func takeLease(_ work: SharedWork, worker: String, for milliseconds: Int64) throws -> Bool
    /// Lets the next worker in.
    func endLease(_ work: SharedWork, worker: String) throws
    /// Whether a guest's time is over, or one is yet to get its time.
    func needsSweep() throws -> Bool
    /// Guests whose time is over, those of the earliest time first.
    func dueGuests(limit: Int) throws -> [DueGuest]
    /// Gives unscheduled guests their time; answers how many.
    func scheduleGuests(createdBy time: Int64, for dueAt: Int64, limit: Int) throws -> Int
    func postponeCleanup(of numbers: [Int64], to time: Int64) throws
    /// Gives guests another time, so long after their last use.
    func postponeCleanup(of numbers: [Int64], toLastUsePlus milliseconds: Int64) throws
    /// Deletes guests with all that is theirs, their sessions too, and remembers that there were such.
    ///
    /// - Returns: the UIDs of those that were still due guests, and are gone.
    func deleteGuests(_ guests: [DueGuest]) throws -> [String]
    func countGuests(_ count: GuestCount) throws -> Int64
    /// Due guests that rows of the operator's own tables keep, by table.
    func countBlockedGuests() throws -> [String: Int64]

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

    // Import
    /// Which of these users are there.
    func presentUsers(among uids: [String]) throws -> [String]
    /// Which of these users are gone.
    func formerUsers(among uids: [String]) throws -> [FormerUser]
    /// Who has these addresses, by address.
    func owners(ofEmails emails: [String]) throws -> [String: String]
    /// Who has these identities at a provider, by subject.
    func owners(ofSubjects subjects: [String], at provider: String) throws -> [String: String]

    // Settings and audit
    func setting(_ name: String) throws -> String?
    func set(_ name: String, to value: String) throws
    func removeSetting(_ name: String) throws
    func administrators() throws -> [String]
    func setAdministrators(_ uids: [String]) throws
    func audit(_ event: AuditEvent, uid: String?, detail: String?) throws
}

extension AccountStore {
    /// Counts one use of `name` in the current window.
    ///
    /// - Returns: how often it has been used now, and the milliseconds until the window ends.
    package func count(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64) {
        try count(name, by: 1, in: window)
    }
}

/// What the audit log records.
///
/// Never with an address or a secret.
package enum AuditEvent: String, Sendable {
    case userCreated = "user.created"
    case userLinked = "user.linked"
    case userSignedIn = "user.signed-in"
    case userDeleted = "user.deleted"
    /// A session was given for a token of where an import came from.
    case userExchanged = "user.exchanged"
    /// By an administrator; its detail names what was changed.
    case userChanged = "user.changed"
    /// Its detail is the UID of who has everything now.
    case userMerged = "user.merged"
    /// Its detail is how many.
    case usersImported = "users.imported"
    case emailVerified = "email.verified"
    case emailChanged = "email.changed"
    case emailRecovered = "email.recovered"
    /// The owner of the mailbox did not ask for the mail.
    case emailDenied = "email.denied"
    /// The owner of a confirmed address signed in, and everything that opened the account before ended.
    case userTakenOver = "user.taken-over"
    /// The owner of the old address objected to a takeover.
    case userContested = "user.contested"
    /// An operator resolved a contest; its detail is the address that keeps the account: `new` or `old`.
    case userResolved = "user.resolved"
    case providerUnlinked = "provider.unlinked"
    /// By the link of a notice; its detail names the providers.
    case methodChangeReverted = "method-change.reverted"
    /// A notice was not sent, because its mailbox does not exist; its detail is the mail's id.
    case noticeSuppressed = "notice.suppressed"
    case sessionReused = "session.reused"
    /// By its user or an administrator, from elsewhere; its detail is the session.
    case sessionEnded = "session.ended"
    /// Its user had too many.
    case sessionsLimited = "sessions.limited"
    case ticketApproved = "ticket.approved"
    case ticketDenied = "ticket.denied"
    case ticketWrongDigits = "ticket.wrong-digits"
    case reviewSignedIn = "review.signed-in"
    case cleanupChanged = "cleanup.changed"
    case projectConfigChanged = "project.changed"
}
