internal import Accounts
internal import Synchronization

/// What this node did in each of the last 24 hours, for the console's front page.
final class DayCounts: Sendable {
    /// The kinds of events that are counted.
    enum Kind: CaseIterable, Sendable {
        case guests
        case users
        case signIns
        case mails
        case refusals

        var name: String {
            switch self {
            case .guests: "New guests"
            case .users: "New users"
            case .signIns: "Sign-ins"
            case .mails: "E-mails sent"
            case .refusals: "Refusals"
            }
        }

        /// Returns the kinds of a sign-in's event.
        static func of(_ event: String, _ signedIn: SignedIn) -> [Kind] {
            guard !signedIn.user.isAnonymous else { return event == "user.created" ? [.guests] : [] }
            switch event {
            case "user.created", "user.signed-in", "user.linked", "user.exchanged":
                return signedIn.isNewUser || signedIn.wasAnonymous ? [.users, .signIns] : [.signIns]
            default: return []
            }
        }
    }

    /// The counts of one kind, the oldest hour first.
    struct Series: Sendable {
        let kind: Kind
        /// The start of each hour, in milliseconds since 1970, with the count.
        let hours: [(start: Int64, count: Int)]
    }

    private static let hour: Int64 = 3_600_000
    private static let length: Int64 = 24

    /// One hour's counts, by the place of the kind.
    private struct Slot {
        var hour: Int64 = -1
        var counts = [Int](repeating: 0, count: Kind.allCases.count)
    }

    private let slots = Mutex([Slot](repeating: Slot(), count: Int(length)))

    /// Counts an event.
    ///
    /// - Parameters:
    ///   - kind: its kind.
    ///   - now: milliseconds since 1970.
    func count(_ kind: Kind, at now: Int64) {
        let hour = now / Self.hour
        guard hour >= 0, let place = Kind.allCases.firstIndex(of: kind) else { return }
        slots.withLock { slots in
            let index = Int(hour % Self.length)
            if slots[index].hour != hour { slots[index] = Slot(hour: hour) }
            slots[index].counts[place] += 1
        }
    }

    /// Returns the counts of the 24 hours that end with the current one.
    ///
    /// - Parameter now: milliseconds since 1970.
    func counts(at now: Int64) -> [Series] {
        let last = max(now / Self.hour, Self.length)
        let slots = slots.withLock(\.self)
        return Kind.allCases.enumerated().map { place, kind in
            let hours = (last - Self.length + 1...last).map { hour -> (start: Int64, count: Int) in
                let slot = slots[Int(hour % Self.length)]
                return (hour * Self.hour, slot.hour == hour ? slot.counts[place] : 0)
            }
            return Series(kind: kind, hours: hours)
        }
    }
}
