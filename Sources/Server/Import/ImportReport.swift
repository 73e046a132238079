internal import Accounts

/// What an import came to.
package struct ImportReport: Sendable, Encodable {
    /// Something that was left behind of users who were imported.
    package struct Dropped: Sendable, Encodable {
        package let what: String
        package let users: Int
        package let reason: String
    }

    /// A reason for which users were not imported.
    package struct Refused: Sendable, Encodable {
        package let reason: String
        package fileprivate(set) var users: Int
        /// Where the first of them stand in the file.
        package fileprivate(set) var examples: [String]
    }

    /// Where the import ended before the file was read to its end.
    package struct Stop: Sendable, Encodable {
        /// How many users were read until there.
        package let users: Int
        package let reason: String
    }

    /// Users that were read from the file.
    package private(set) var read = 0
    package private(set) var created = 0
    /// Of those created: who is a guest.
    package private(set) var guests = 0
    package private(set) var replaced = 0
    /// Users who were here already and stay as they are.
    package private(set) var kept = 0
    /// Users who were here, were deleted or merged since, and stay so.
    package private(set) var gone = 0
    /// Permanent users, of those created, who have no way in: no address, and no identity provider.
    package private(set) var withoutWayIn = 0
    /// The longest time for which one transaction held the writer, its commit included, in milliseconds.
    package private(set) var longestHold = 0
    package private(set) var refused: [Refused] = []
    package private(set) var stopped: Stop?

    private var losses: [ImportLoss: Int] = [:]
    private var places: [ImportFault: Int] = [:]

    /// Where the examples of a reason end.
    private static let examples = 5

    init() {}

    /// What was left behind of whom.
    package var dropped: [Dropped] {
        ImportLoss.allCases.compactMap { loss in
            losses[loss].map { Dropped(what: loss.rawValue, users: $0, reason: loss.reason) }
        }
    }

    /// How many users were not imported.
    package var refusals: Int { refused.reduce(0) { $0 + $1.users } }

    /// Notes that a user was read.
    mutating func noteRead() {
        read += 1
    }

    /// Notes how long a transaction held the writer.
    mutating func noteHold(_ duration: Duration) {
        longestHold = max(longestHold, Int(duration / .milliseconds(1)))
    }

    /// Notes what became of a user.
    mutating func note(_ outcome: ImportOutcome, of user: ImportedUser, at place: String) {
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

    /// Notes that a user is not imported.
    mutating func refuse(_ fault: ImportFault, at place: String) {
        // A few dozen reasons at most: types and columns that a row may have wrong.
        let fault = places[fault] == nil && refused.count >= 64 ? ImportFault("other reasons") : fault
        let index = places[fault] ?? refused.count
        if index == refused.count {
            places[fault] = index
            refused.append(Refused(reason: fault.text, users: 0, examples: []))
        }
        refused[index].users += 1
        if refused[index].examples.count < Self.examples { refused[index].examples.append(place) }
    }

    /// Notes where the file could not be read any further.
    mutating func stop(_ reason: String) {
        stopped = Stop(users: read, reason: reason)
    }

    private enum CodingKeys: String, CodingKey {
        case read, created, guests, replaced, kept, gone, withoutWayIn, dropped, refused, stopped
        case longestHold = "longestTransactionMilliseconds"
    }

    /// Writes what scripts read.
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
