/// The counters of limits, each with a name.
///
/// A window is given by its length in milliseconds; windows follow one another from 1970 on.
package protocol LimitStore {
    /// Counts uses of `name` in the current window.
    ///
    /// - Returns: the new count, and the milliseconds until the window ends.
    func count(_ name: String, by uses: Int64, in window: Int64) throws -> (used: Int64, untilReset: Int64)
    /// Counts one use of `name` in the current window, for a caller that does not need the new count.
    func countUse(_ name: String, in window: Int64) throws
    /// Returns the uses of `name` in the current window, 0 if there are none, and the milliseconds until the window
    /// ends; counts nothing.
    func used(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64)
    /// Raises counters in one statement, in the same order in all transactions, and runs queries in the same round
    /// trip. Waits for an erasure of the address (``ErasureStore/excludeRequests(forAddresses:)``).
    ///
    /// - Parameters:
    ///   - uses: the counters to raise, each once.
    ///   - address: the keyed hash of an address.
    ///   - knownClient: the keyed hash of the address with a client; if the client is stored for the address, the
    ///     counters of ``CounterUse/Amount/oneOfStranger`` do not rise.
    ///   - time: milliseconds since 1970; a client that was stored at or before this time counts as unknown.
    ///   - questions: the queries, which see the state before the change. May be called twice, the first time with
    ///     results without rows.
    /// - Returns: the new counts, and the results of the queries.
    func raise<Answers>(
        _ uses: [CounterUse],
        of address: String,
        unlessKnown knownClient: String,
        since time: Int64,
        beside questions: (Self) throws -> Answers
    ) throws -> (RaisedCounters, Answers)
    /// Raises the counters of several requests like ``raise(_:of:unlessKnown:since:beside:)``, equal names by their sum.
    ///
    /// Gives up on a counter that another transaction keeps for longer than a moment, so that the transaction fails with
    /// `busy`. Must not be called with SQLite, which has nothing to add up.
    func raise<Answers>(
        _ rises: [CounterRise],
        since time: Int64,
        beside questions: (Self) throws -> Answers
    ) throws -> (SummedCounters, Answers)
    /// Lowers counters that this transaction has raised.
    ///
    /// - Parameter uses: by how much, by name.
    func giveBack(_ uses: [String: Int64]) throws
    /// Raises one counter by one, whatever the amount of the use.
    ///
    /// - Returns: the new count.
    func raise(_ use: CounterUse) throws -> Int64
    /// Returns the counters of these names that exist, regardless of when they began.
    func counters(_ names: [String]) throws -> [RunningCounter]
    /// Sets a counter to zero with a window that begins now, creating it if needed; does nothing if its window began
    /// after a time, in milliseconds since 1970.
    func restart(_ name: String, ifBegunBy time: Int64) throws
}

extension LimitStore {
    /// Counts one use of `name` in the current window.
    ///
    /// - Returns: the new count, and the milliseconds until the window ends.
    package func count(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64) {
        try count(name, by: 1, in: window)
    }
}
