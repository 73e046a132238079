import Accounts
import Database
import Tokens

/// Makes random operations on few users, addresses and tickets.
struct OperationMix: Sendable {
    let known: Known
    let seed: UInt64
    static let emails = ["ann@example.com", "bob@example.com"]
    static let chosenUIDs = ["chosen-1", "chosen-2"]
    static let keys = 2
    static let clients = ["client-1", "client-2", "client-3"]
    static let usernames = ["ann", "bob"]
    static let providers = ["google.com", "oidc.club"]

    /// A kind of operation, with its share of the mix.
    struct Kind: Sendable {
        /// Makes an operation; `nil` if clients do not know enough for one yet.
        typealias Make = @Sendable (OperationMix, inout Draw) throws -> Operation?

        let share: Int
        let make: Make

        init(share: Int, _ make: @escaping Make) {
            self.share = share
            self.make = make
        }
    }

    static let kinds = [
        signUp, keyedSignUp, customToken, linkRequest, codeRequest, mailSent, resend, linkRedemption, redemptionInApp,
        approval, denial, linkByAdministrator, code, update, provider, merge, refresh, signOut, endOfSession,
        signInsRecorded, lookUp, lookUpOfGuest, changeByAdministrator, revocation, deletion, erasure, limitsLifted,
        creation, creationWithOldAddress, endOfSessionByAdministrator, administrators, cleanUpSwitched, cleanUp,
        documentWrite, documentList, username, usernameOfGuest, usernameRemoved,
    ]

    private static let total = kinds.reduce(0) { $0 + $1.share }

    /// Returns the operation with this number, which depends on the seed and on what clients know.
    ///
    /// - Parameter race: the race that the operation is part of; `nil` outside of races.
    func operation(_ number: Int, in race: Race?) throws -> Operation {
        var draw = Draw(numbers: SeededNumbers(seed, number), known: known, focus: race?.focus)
        for _ in 0..<50 {
            let kind = race.flatMap { draw.numbers.pick($0.kinds) } ?? Self.kind(&draw.numbers)
            if let operation = try kind.make(self, &draw) { return operation }
        }
        return try draw.guestSignUp()
    }

    private static func kind(_ numbers: inout SeededNumbers) -> Kind {
        var place = Int.random(in: 0..<total, using: &numbers)
        for kind in kinds {
            place -= kind.share
            if place < 0 { return kind }
        }
        return signUp
    }
}

/// The random choices of one operation.
struct Draw {
    var numbers: SeededNumbers
    let known: Known
    /// What the operations of a race are about; `nil` outside of races.
    var focus: Focus?

    // MARK: What clients know

    mutating func session(isGuests: Bool? = nil) -> KnownSession? {
        known.session(&numbers, isGuests: isGuests, of: focus?.uid)
    }

    /// In most calls of a race for which a guest was made that guest, in the others another one.
    mutating func guest() -> KnownSession? {
        guard let guest = focus?.guest, numbers.chance(75) else { return session(isGuests: true) }
        return guest
    }

    /// In most of a race's calls the ticket that the race is about, in the others one for its address.
    mutating func ticket() -> KnownTicket? {
        guard let focus, let ticket = focus.ticket, numbers.chance(75) else {
            return known.ticket(&numbers, for: focus?.email)
        }
        return ticket
    }

    mutating func code() -> ActionCode? { focus?.code ?? known.code(&numbers) }

    mutating func knownUID() -> String? { focus?.uid ?? known.uid(&numbers) }

    mutating func email() throws -> EmailAddress {
        let email = numbers.chance(85) ? focus?.email : nil
        return try EmailAddress(parsing: email ?? numbers.pick(OperationMix.emails) ?? "")
    }

    mutating func chosenUID() -> String { focus?.chosenUID ?? numbers.pick(OperationMix.chosenUIDs) ?? "" }

    /// Returns the id of a person at an identity provider, one of two.
    mutating func subject() -> String { (focus?.subjects ?? "subject") + "-\(Int.random(in: 0..<2, using: &numbers))" }

    /// Returns the presented token of most calls, and none of the others.
    mutating func token(percent: Int) -> PresentedToken? {
        guard numbers.chance(percent) else { return nil }
        return session()?.token
    }

    // MARK: What is new

    mutating func client() -> String {
        let client = numbers.chance(70) ? focus?.client : nil
        return client ?? numbers.pick(OperationMix.clients) ?? ""
    }

    /// Returns a random UID that no other operation has.
    mutating func uid() throws -> String { String(try numbers.id().text.reversed()) }

    mutating func opening() throws -> SessionOpening {
        SessionOpening(sid: try numbers.id().text, rotates: numbers.chance(80), client: client())
    }

    mutating func mailIDs() throws -> MailIDs {
        MailIDs(ticket: try numbers.id(), actionCode: try numbers.id(), mail: try numbers.id())
    }

    mutating func notice() throws -> NoticeOpening { NoticeOpening(ids: try mailIDs()) }

    mutating func onConflict() -> OnConflict {
        numbers.chance(50) ? .merge : numbers.chance(70) ? .error : .report
    }

    mutating func asking() -> AskingDevice {
        AskingDevice(sid: nil, uid: nil, client: client(), name: "", place: nil, locale: "en")
    }

    /// The codes that the notice of a change may contain, for what clients learn.
    static func codes(of notice: NoticeOpening, at now: Int64) -> [Lesson] {
        [ActionCode.Purpose.recoverEmail, .revertMethodChange].map { purpose in
            .code(ActionCode(id: notice.ids.actionCode, purpose: purpose, expiry: now / 1000 + 72 * 3600))
        }
    }
}
