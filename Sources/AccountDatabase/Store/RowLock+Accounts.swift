internal import Accounts
internal import Database

/// The locks of rows. docs/architecture.md says what each one protects.
extension RowLock {
    /// The session whose refresh token is exchanged, and its user.
    static let refreshedSession = RowLock("refreshed session")
    /// The session that writes documents, and its user.
    static let writingSession = RowLock("writing session")
    /// The ticket that a sign-in link is redeemed for, and the link's action code.
    static let redeemedTicket = RowLock("redeemed ticket")
    /// The owner of the address that was proven.
    static let owner = RowLock("owner of the address")
    /// Users of whom more than one row changes.
    static let users = RowLock("users", excludingReferences: true)
    /// The user whose session ends.
    static let ownerOfEndedSession = RowLock("owner of an ended session", excludingReferences: true)
    /// The users whose sign-ins are recorded after their answers.
    static let recordedUsers = RowLock("recorded users", excludingReferences: true)
    /// The ticket that a code or an approval is redeemed for.
    static let ticket = RowLock("ticket", excludingReferences: true)
    /// The tickets for an address that no user has.
    static let ticketsOfFreeAddress = RowLock("tickets of a free address")
    /// The rows of a queue that a worker leases.
    static let leasedRows = RowLock("leased rows", excludingReferences: true)

    static let all = [
        refreshedSession, writingSession, redeemedTicket, owner, users, ownerOfEndedSession, recordedUsers, ticket,
        ticketsOfFreeAddress, leasedRows,
    ]
}

/// The locks of whole tables.
enum TableLock: String, CaseIterable {
    /// No guest signs up while clean-up is switched on.
    case guests = "table of users"
}

extension AdvisoryLock {
    /// The addresses for which e-mails are requested, while none of their users is erased.
    static let requestedAddress = AdvisoryLock("requested address")

    static let all = [requestedAddress]
}

extension Transaction {
    /// The unique keys for which transactions compete: a violation means that another transaction was quicker.
    static let contestedKeys = spareKeys.union(["users_email", "usernames_uid_key"])

    /// The contested keys of what only SERIALIZABLE transactions insert today.
    ///
    /// Nothing is wrong without them until such a transaction begins at READ COMMITTED instead.
    private static let spareKeys: Set<String> = ["identities_provider_subject_key", "identities_uid_provider_key"]

    /// The name of what keeps a takeover from having a time before a recovery code that its transaction sees.
    package static let laterTakeover = "later takeover"

    /// The name of what keeps a session from beginning before a revocation that its transaction sees.
    package static let laterRevocation = "later revocation"

    /// The names of what histories (HistoryTests) switch off, one at a time, to show that something breaks without it.
    ///
    /// Histories have no workers that lease rows. Each ``SerializableReason`` is left out, because only transactions that
    /// are SERIALIZABLE from their beginning have one today, as with the spare keys.
    package static var protections: [String] {
        RowLock.all.map(\.name).filter { $0 != RowLock.leasedRows.name } + TableLock.allCases.map(\.rawValue)
            + AdvisoryLock.all.map(\.name)
            + contestedKeys.subtracting(spareKeys).sorted() + [laterRevocation, laterTakeover]
    }
}
