internal import Accounts

/// The result of an import.
package struct ImportReport: Sendable, Encodable {
    /// A kind of data that was left out of imported users.
    package struct Dropped: Sendable, Encodable {
        package let what: String
        package let users: Int
        package let reason: String
    }

    /// A reason why users were not imported.
    package struct Refused: Sendable, Encodable {
        package let reason: String
        package fileprivate(set) var users: Int
        /// The places of the first five such users in the file, each with the UID if the row could be read.
        package fileprivate(set) var examples: [String]
    }

    /// Why the import ended before the end of the file.
    package struct Stop: Sendable, Encodable {
        /// The number of users read before the import ended.
        package let users: Int
        package let reason: String
    }

    /// The number of users read from the file.
    package private(set) var read = 0
    package private(set) var created = 0
    /// The number of created users who are guests.
    package private(set) var guests = 0
    package private(set) var replaced = 0
    /// The number of existing users who were left unchanged.
    package private(set) var kept = 0
    /// The number of users who existed before but were deleted or merged, and were not created again.
    package private(set) var gone = 0
    /// The number of created permanent users without a sign-in method: they have neither an address nor an identity
    /// provider.
    package private(set) var withoutWayIn = 0
    /// The longest time that one transaction occupied the writer, including its commit, in milliseconds.
    package private(set) var longestHold = 0
    package private(set) var refused: [Refused] = []
    package private(set) var stopped: Stop?

    private var losses: [ImportLoss: Int] = [:]
    private var places: [ImportFault: Int] = [:]

    /// The maximum number of examples for a reason.
    private static let examples = 5

    init() {}

    /// The data that was left out, with the number of users.
    package var dropped: [Dropped] {
        ImportLoss.allCases.compactMap { loss in
            losses[loss].map { Dropped(what: loss.rawValue, users: $0, reason: loss.reason) }
        }
    }

    /// The number of users that the import refused, without those that it kept unchanged or found deleted.
    package var refusals: Int { refused.reduce(0) { $0 + $1.users } }

    /// Counts a user that was read.
    mutating func recordRead() {
        read += 1
    }

    /// Records how long a transaction occupied the writer.
    mutating func recordLock(_ duration: Duration) {
        longestHold = max(longestHold, Int(duration / .milliseconds(1)))
    }

    /// Counts the outcome of a user, and if the user was created or replaced, the data that was left out.
    mutating func record(_ outcome: ImportOutcome, of user: ImportedUser, at place: String) {
        switch outcome {
        case .created(let isGuest):
            created += 1
            if isGuest { guests += 1 } else if !user.hasWayIn { withoutWayIn += 1 }
        case .replaced: replaced += 1
        case .kept: kept += 1
        case .gone: gone += 1
        case .refused(let fault): return refuse(fault, at: "\(place) (\(user.uid))")
        }
        guard outcome != .kept, outcome != .gone else { return }
        for loss in user.losses { losses[loss, default: 0] += 1 }
    }

    /// Records that a user is not imported.
    mutating func refuse(_ fault: ImportFault, at place: String) {
        // There are a few dozen reasons at most: the types and columns that a row may have wrong.
        let fault = places[fault] == nil && refused.count >= 64 ? ImportFault("other reasons") : fault
        let index = places[fault] ?? refused.count
        if index == refused.count {
            places[fault] = index
            refused.append(Refused(reason: fault.text, users: 0, examples: []))
        }
        refused[index].users += 1
        if refused[index].examples.count < Self.examples { refused[index].examples.append(place) }
    }

    /// Records that the file cannot be read any further.
    mutating func stop(_ reason: String) {
        stopped = Stop(users: read, reason: reason)
    }

    private enum CodingKeys: String, CodingKey {
        case read, created, guests, replaced, kept, gone, withoutWayIn, dropped, refused, stopped
        case longestHold = "longestTransactionMilliseconds"
    }

    /// Encodes the report for scripts.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(read, forKey: .read)
        try container.encode(created, forKey: .created)
        try container.encode(guests, forKey: .guests)
        try container.encode(replaced, forKey: .replaced)
        try container.encode(kept, forKey: .kept)
        try container.encode(gone, forKey: .gone)
        try container.encode(withoutWayIn, forKey: .withoutWayIn)
        try container.encode(longestHold, forKey: .longestHold)
        try container.encode(dropped, forKey: .dropped)
        try container.encode(refused, forKey: .refused)
        try container.encodeIfPresent(stopped, forKey: .stopped)
    }
}
