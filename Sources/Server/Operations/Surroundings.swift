/// What a server takes from the machine around it; tests give it another clock.
package struct Surroundings: Sendable {
    /// Milliseconds since 1970: the database's clock, and that of limits and of tokens.
    package var clock: @Sendable () -> Int64 = SystemClock.now
    /// How soon changed keys and settings are noticed.
    package var housekeepingInterval = Duration.seconds(5)
    /// How soon listening clients hear of what other processes did, and that the connection lives.
    package var listening = Changes.Pace()
    /// Told of each statement that the database is about to run, by its text without values; what it throws the statement
    /// fails with.
    package var onStatement: (@Sendable (String) throws -> Void)?

    /// Takes the machine as it is.
    package init() {}
}
