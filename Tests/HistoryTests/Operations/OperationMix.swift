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

    /// Makes a kind of operation; `nil` if clients do not know enough for one yet.
    typealias Maker = @Sendable (OperationMix, inout Draw) throws -> Operation?

    /// The kinds of operations, each with its share.
    private static let makers: [(share: Int, make: Maker)] =
        signUps + mails + redemptions + codes + providersAndMerges + sessions + administration + data

    private static let total = makers.reduce(0) { $0 + $1.share }

    /// Returns the operation with this number, which depends on the seed and on what clients know.
    func operation(_ number: Int) throws -> Operation {
        var draw = Draw(numbers: SeededNumbers(seed, number), known: known)
        for _ in 0..<50 {
            var place = Int.random(in: 0..<Self.total, using: &draw.numbers)
            for (share, make) in Self.makers {
                place -= share
                guard place < 0 else { continue }
                if let operation = try make(self, &draw) { return operation }
                break
            }
        }
        return try draw.guestSignUp()
    }
}

/// The random choices of one operation.
struct Draw {
    var numbers: SeededNumbers
    let known: Known

    mutating func email() throws -> EmailAddress {
        try EmailAddress(parsing: numbers.pick(OperationMix.emails) ?? "")
    }

    mutating func client() -> String { numbers.pick(OperationMix.clients) ?? "" }

    /// Returns a random UID that no other operation has.
    mutating func uid() throws -> String { String(try numbers.id().text.reversed()) }

    mutating func opening() throws -> SessionOpening {
        SessionOpening(sid: try numbers.id().text, rotates: numbers.chance(80), client: client())
    }

    mutating func mailIDs() throws -> MailIDs {
        MailIDs(ticket: try numbers.id(), actionCode: try numbers.id(), mail: try numbers.id())
    }

    mutating func notice() throws -> NoticeOpening { NoticeOpening(ids: try mailIDs()) }

    /// Returns the presented token of most calls, and none of the others.
    mutating func token(percent: Int) -> PresentedToken? {
        guard numbers.chance(percent) else { return nil }
        return known.session(&numbers)?.token
    }

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
