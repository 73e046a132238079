/// What a server takes from the machine around it; tests give it another clock.
package struct Surroundings: Sendable {
    /// Milliseconds since 1970: the clock of the database, and so that of limits and of tokens; `nil` for the machine's, or
    /// that of the server that the database is on.
    package var clock: (@Sendable () -> Int64)?
    /// How soon changed keys and settings are noticed.
    package var housekeepingInterval = Duration.seconds(5)
    /// How long nothing may be committed before `/readyz` has a write tried, and how often a SQLite file is checked.
    package var probeInterval = Duration.seconds(5)
    /// The free space in bytes on the file system of a SQLite database; `nil` to ask the system.
    package var freeSpace: (@Sendable () -> Int64)?
    /// How soon listening clients hear of what other processes did, and that the connection lives.
    package var listening = Changes.Pace()
    /// The zero bits of the easiest challenge.
    package var challengeDifficulty = Services.leastChallengeDifficulty
    /// Told of each statement that the database is about to run, by its text without values; what it throws the statement
    /// fails with.
    package var onStatement: (@Sendable (String) throws -> Void)?

    /// Takes the machine as it is.
    package init() {}
}
