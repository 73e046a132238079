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
