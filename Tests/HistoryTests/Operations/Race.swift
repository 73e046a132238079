import Accounts
import Database
import Tokens

extension OperationMix {
    /// Operations of few kinds that all concern one user, one ticket and one address, so that they meet.
    struct Race: Sendable {
        let kinds: [Kind]
        let focus: Focus
        /// Whether all operations begin as soon as they can, in place of some after a pause.
        let hasNoPauses: Bool
    }

    /// The user whom the operations of a race concern.
    enum Subject {
        /// Any user, or several.
        case any
        /// A user with an address, and that address.
        case owner
        /// A new user, whom the preparation makes, and an address that no user has yet.
        case newUser
        /// An address that no user has yet, and for which the preparation makes a ticket.
        case freeAddress
        /// Several addresses, most of which no user has yet, and for which the preparation makes a ticket each.
        case severalAddresses

        /// Whether each operation of the preparation is about something else.
        var isNewEachTime: Bool { self == .severalAddresses }
    }

    /// What the connections beside the nodes lock in a race.
    enum HeldLock {
        /// A table, with the mode.
        case table(SQL)
        /// The row of the ticket that the race is about.
        case ticket
    }

    /// Kinds of operations for a race.
    struct Rivals: Sendable {
        private(set) var kinds: [Kind]
        /// The kinds of the operations that run before the race, one after the other, and make what it is about.
        var preparation: [Kind] = []
        var subject = Subject.any
        /// What is locked most of the time, so that transactions wait at it; `nil` if random rows are locked.
        var lock: HeldLock?
        /// Whether most operations run on one node and begin at once, so that those of one name share transactions.
        var shareTransactions = false

        private init(
            _ kinds: Kind...,
            preparation: [Kind] = [],
            subject: Subject = .any,
            lock: HeldLock? = nil,
            shareTransactions: Bool = false
        ) {
            self.kinds = kinds
            self.preparation = preparation
            self.subject = subject
            self.lock = lock
            self.shareTransactions = shareTransactions
        }

        /// Makes and sends an e-mail with a link and a code.
        private static let ticket = [linkRequest, mailSent]

        /// Redemptions of several tickets that share transactions, at least as many as operations of the other kinds.
        private static func sharedRedemptions(beside others: [Kind], lock: HeldLock? = nil) -> Rivals {
            var rivals = Rivals(
                preparation: [Kind](repeating: linkRequest, count: 5),
                subject: .severalAddresses,
                lock: lock,
                shareTransactions: true
            )
            rivals.kinds = [Kind](repeating: sharedRedemption, count: 3) + others
            return rivals
        }

        /// Kinds of which few races show a fault, so that they race more often than the others.
        private static let rarelyAtFault: [Rivals] = [
            // The redemption begins before the revocation, and then waits for it.
            Rivals(
                sharedRedemption,
                revocation,
                revocation,
                preparation: ticket,
                subject: .owner,
                lock: .ticket
            ),
            // The redemption begins before the user gets the ticket's address, waits, and then takes the account over.
            Rivals(
                linkRedemption,
                addressChange,
                preparation: [creationWithOldAddress, linkRequest],
                subject: .newUser,
                lock: .ticket
            ),
            // No row that a sign-up waits for exists before its first change.
            Rivals(signUp, cleanUpSwitched, cleanUp, lock: .table("sessions IN SHARE MODE")),
            Rivals(signUp, cleanUpSwitched, cleanUp, cleanUp, lock: .table("sessions IN SHARE MODE")),
            // The session that merges ends, and then the guest is still there.
            Rivals(
                merge,
                endOfSession,
                lookUpOfGuest,
                preparation: [signUp],
                subject: .owner,
                lock: .table("former_users IN SHARE MODE")
            ),
            // The address has no counter that the request and the erasure would wait for.
            Rivals(
                linkRequest,
                erasure,
                preparation: [signInsRecorded, limitsLifted],
                subject: .owner,
                lock: .table("tickets IN SHARE MODE")
            ),
        ]

        /// Kinds that decide on the same rows, from the table of isolation in docs/architecture.md.
        private static let others: [Rivals] = [
            Rivals(refresh, signOut, endOfSession, update, changeByAdministrator),
            Rivals(refresh, merge, deletion, signInsRecorded),
            Rivals(documentWrite, merge, deletion, documentList),
            Rivals(documentWrite, signOut, endOfSession, cleanUp, changeByAdministrator),
            Rivals(linkRequest, linkRequest, resend, denial),
            Rivals(linkRequest, erasure, signInsRecorded),
            Rivals(linkRequest, erasure, preparation: [linkRequest, signInsRecorded]),
            Rivals(linkRedemption, linkRedemption, redemptionInApp, approval, preparation: ticket),
            Rivals(linkRedemption, redemptionInApp, preparation: ticket),
            Rivals(redemptionInApp, redemptionInApp, approval, denial, preparation: ticket),
            Rivals(linkRedemption, denial, resend, mailSent, preparation: [linkRequest]),
            Rivals(linkRedemption, update, changeByAdministrator, revocation, preparation: ticket),
            Rivals(linkRedemption, revocation, refresh, preparation: ticket),
            Rivals(linkRedemption, deletion, merge, provider, preparation: ticket),
            // One call finds the address free, and waits. The redemption makes the address's owner, whom another call sees.
            Rivals(
                linkRedemption,
                additionOfProvider,
                additionOfProvider,
                preparation: ticket,
                subject: .freeAddress,
                lock: .table("identities IN SHARE MODE")
            ),
            Rivals(
                linkRedemption,
                additionOfProvider,
                additionOfProvider,
                additionOfProvider,
                preparation: ticket,
                subject: .freeAddress,
                lock: .table("identities IN SHARE MODE")
            ),
            Rivals(linkRedemption, linkRedemption, provider, creation, changeByAdministrator),
            Rivals(linkRedemption, linkRedemption, revocation, preparation: ticket),
            Rivals(linkRedemption, linkByAdministrator, administrators),
            Rivals(signInsRecorded, signInsRecorded, endOfSession, linkRedemption, refresh, preparation: ticket),
            Rivals(signInsRecorded, deletion, erasure, update),
            Rivals(provider, provider, update),
            Rivals(customToken, creation, deletion),
            Rivals(keyedSignUp, deletion, cleanUp),
            Rivals(username, merge, deletion),
            // The account gets a username while the merge waits that will move the guest's.
            Rivals(
                username,
                merge,
                preparation: [signUp, usernameOfGuest, usernameRemoved],
                subject: .owner,
                lock: .table("usernames IN SHARE MODE")
            ),
            Rivals(code, update, codeRequest, changeByAdministrator, preparation: [codeRequest]),
            Rivals(signUp, linkRequest, refresh, shareTransactions: true),
            sharedRedemptions(beside: []),
            sharedRedemptions(beside: [creation, deletion, denial]),
            // The first redemption waits, and the others gather.
            sharedRedemptions(beside: [revocation, changeByAdministrator], lock: .table("sessions IN SHARE MODE")),
        ]

        /// The number of operations between two checks.
        var pieceLength: Int { shareTransactions ? 2 * Checker.pieceLength : Checker.pieceLength }

        /// Returns the kinds of some operations that run at once, or `nil` if they are of all kinds and about anything.
        ///
        /// - Parameters:
        ///   - seed: the seed of the mix.
        ///   - place: the number of the first operation.
        static func drawn(_ seed: UInt64, _ place: Int) -> Rivals? {
            var numbers = SeededNumbers(seed, -9000 - place)
            guard numbers.chance(90) else { return nil }
            if numbers.chance(30) { return numbers.pick(rarelyAtFault) }
            if numbers.chance(85) { return numbers.pick(others) }
            let kinds = (0..<2).compactMap { _ in numbers.pick(OperationMix.kinds) }
            return kinds.count == 2 ? Rivals(kinds[0], kinds[1]) : nil
        }
    }
}

/// What all operations of a race concern.
struct Focus: Sendable {
    let uid: String?
    let ticket: KnownTicket?
    let code: ActionCode?
    let email: String
    let chosenUID: String?
    /// The client that most operations come from.
    let client: String
    /// The beginning of the ids of persons at identity providers; `nil` for those of all operations.
    let subjects: String?
    /// The guest that was made for the race; `nil` if none was.
    let guest: KnownSession?
    /// The usernames that the users compete for; `nil` for those of all operations.
    let usernames: [String]?

    /// Chooses something that clients know.
    ///
    /// - Parameters:
    ///   - mix: the mix, with what clients know now.
    ///   - place: the number of the first operation.
    ///   - rivals: the kinds of the race.
    ///   - isPrepared: whether the race is about what was made last.
    init(_ mix: OperationMix, _ place: Int, of rivals: OperationMix.Rivals, isPrepared: Bool) {
        let known = mix.known
        var numbers = SeededNumbers(mix.seed, -9500 - place)
        let account = rivals.subject == .owner ? known.account(&numbers) : nil
        let aTicket = isPrepared ? known.newestTicket : known.ticket(&numbers, for: account?.email)
        ticket = rivals.subject.isNewEachTime ? nil : aTicket
        let owner = account?.uid ?? ticket.flatMap { known.owner(of: $0.ticket.email) }
        let anyUID = account != nil || numbers.chance(70) ? owner ?? known.uid(&numbers) : known.uid(&numbers)
        code = isPrepared ? known.newestCode : known.code(&numbers)
        // No user has a new address, UID or provider id yet, so several operations compete to be the first.
        let isNew =
            switch rivals.subject {
            case .newUser, .freeAddress: true
            case .severalAddresses: numbers.chance(70)
            case .any, .owner: false
            }
        let new = isNew || numbers.chance(40) ? "new-\(place)" : nil
        let ticketsEmail = !isNew && numbers.chance(60) ? ticket?.ticket.email : nil
        let newEmail = new.map { "\($0)@example.com" }
        email = account?.email ?? ticketsEmail ?? newEmail ?? numbers.pick(OperationMix.emails) ?? ""
        client = numbers.pick(OperationMix.clients) ?? ""
        chosenUID = new
        uid = rivals.subject == .newUser ? new : anyUID
        subjects = new
        guest = rivals.subject == .owner && isPrepared ? known.newestGuest : nil
        usernames = rivals.subject == .owner ? ["user\(place)a", "user\(place)b", "user\(place)c"] : nil
    }
}
