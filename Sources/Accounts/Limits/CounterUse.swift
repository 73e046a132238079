/// A use of one counter of a limit, among several that a request raises together.
package struct CounterUse: Sendable {
    /// The amount by which the counter rises.
    package enum Amount: Sendable {
        case one
        /// Rises by one, unless the address has signed in from the client (``KnownClient``).
        case oneOfStranger
    }

    package let name: String
    /// When the window to count in began, in milliseconds since 1970; a counter whose window began earlier starts again
    /// at zero.
    package let windowStart: Int64
    package let amount: Amount

    /// Makes a use from its parts.
    package init(_ name: String, windowStart: Int64, amount: Amount = .one) {
        self.name = name
        self.windowStart = windowStart
        self.amount = amount
    }
}

/// The current state of a counter.
package struct RunningCounter: Sendable {
    package let name: String
    /// When the counter's window began, in milliseconds since 1970.
    package let since: Int64
    /// The number of uses since then.
    package let used: Int64

    /// Makes a counter from its parts.
    package init(name: String, since: Int64, used: Int64) {
        self.name = name
        self.since = since
        self.used = used
    }
}

/// The state of counters after they were raised.
package struct RaisedCounters: Sendable {
    /// The new count of each counter, by name.
    package let used: [String: Int64]
    /// Whether the address has signed in from the client within ``KnownClient/life``.
    package let isKnownClient: Bool

    /// Makes the outcome from its parts.
    package init(used: [String: Int64], isKnownClient: Bool) {
        self.used = used
        self.isKnownClient = isKnownClient
    }
}

/// The counters that one of several requests raises.
package struct CounterRise: Sendable {
    package let uses: [CounterUse]
    /// The keyed hash of the address that the request is about.
    package let address: String
    /// The keyed hash of the address with the client.
    package let knownClient: String

    /// Makes a rise from its parts.
    package init(_ uses: [CounterUse], of address: String, by knownClient: String) {
        self.uses = uses
        self.address = address
        self.knownClient = knownClient
    }
}

/// The state of counters after several requests have raised them at once.
package struct SummedCounters: Sendable {
    /// The new count of each counter, by name.
    package let used: [String: Int64]
    /// The places of the requests whose address has signed in from their client.
    package let known: Set<Int>

    /// Makes the outcome from its parts.
    package init(used: [String: Int64], known: Set<Int>) {
        self.used = used
        self.known = known
    }
}

/// Divides the sums of counters among the requests that raised them, in the order of the requests.
///
/// A request that is refused counts in none of its counters, so that the ones behind it move up.
struct CounterShares {
    private let rises: [CounterRise]
    private let known: Set<Int>
    /// What every counter stands at after the requests so far, by name.
    private var standing: [String: Int64]
    /// What the refused requests have not used, by name.
    private(set) var unused: [String: Int64] = [:]

    /// Makes the shares of requests whose rises are in the same order.
    init(_ summed: SummedCounters, of rises: [CounterRise]) {
        self.rises = rises
        known = summed.known
        standing = summed.used
        for (place, rise) in rises.enumerated() {
            for use in rise.uses { standing[use.name, default: 0] -= amount(of: use, at: place) }
        }
    }

    /// Returns the counters as the request at a place would raise them.
    func raised(at place: Int) -> RaisedCounters {
        let counts = rises[place].uses.map { use in
            (use.name, standing[use.name, default: 0] + amount(of: use, at: place))
        }
        return RaisedCounters(used: Dictionary(counts) { $1 }, isKnownClient: known.contains(place))
    }

    /// Counts the request at a place, or gives its share back.
    mutating func count(_ place: Int, isAccepted: Bool) {
        for use in rises[place].uses {
            let amount = amount(of: use, at: place)
            if isAccepted { standing[use.name, default: 0] += amount } else { unused[use.name, default: 0] += amount }
        }
    }

    private func amount(of use: CounterUse, at place: Int) -> Int64 {
        switch use.amount {
        case .one: 1
        case .oneOfStranger: known.contains(place) ? 0 : 1
        }
    }
}
