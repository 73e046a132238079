/// A use of one counter, among several that a request raises together.
package struct CounterUse: Sendable {
    /// How much the counter rises.
    package enum Amount: Sendable {
        case one
        /// By one, unless the client is known to the address.
        case oneOfStranger
    }

    package let name: String
    /// When the counter's window began, in milliseconds since 1970; a counter that began earlier starts again.
    package let windowStart: Int64
    package let amount: Amount

    /// Makes a use from its parts.
    package init(_ name: String, windowStart: Int64, amount: Amount = .one) {
        self.name = name
        self.windowStart = windowStart
        self.amount = amount
    }
}

/// A counter as it stands.
package struct RunningCounter: Sendable {
    package let name: String
    /// When its window began, in milliseconds since 1970.
    package let since: Int64
    package let used: Int64

    /// Makes a counter from its parts.
    package init(name: String, since: Int64, used: Int64) {
        self.name = name
        self.since = since
        self.used = used
    }
}

/// What counters stand at once they were raised.
package struct RaisedCounters: Sendable {
    /// The uses of each counter, by name.
    package let used: [String: Int64]
    /// Whether the client is known to the address.
    package let isKnownClient: Bool

    /// Makes the outcome from its parts.
    package init(used: [String: Int64], isKnownClient: Bool) {
        self.used = used
        self.isKnownClient = isKnownClient
    }
}
