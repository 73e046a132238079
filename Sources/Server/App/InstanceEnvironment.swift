package import Database

/// The things around a server that tests replace, such as its clock and the intervals of its work.
package struct InstanceEnvironment: Sendable {
    /// Returns the time in milliseconds since 1970, for the database and thereby for limits and tokens.
    ///
    /// `nil` means this machine's clock for SQLite, and the database server's for PostgreSQL.
    package var clock: (@Sendable () -> Int64)?
    /// The interval of a node's recurring work, such as ending abandoned merges.
    ///
    /// Expired rows are deleted in every twelfth round. The clean-up of guests has twice this interval.
    ///
    /// Changed signing keys and administrators are noticed at this interval, at the latest after three seconds.
    package var housekeepingInterval = Duration.seconds(5)
    /// The interval at which the outbox is polled for due e-mails, beside notifications.
    package var mailPoll = Duration.seconds(1)
    /// The interval at which opened links and refused requests are written into the trace.
    package var traceInterval = Duration.seconds(1)
    /// The time without commits after which the node tries a write for the answer of `/readyz`, and the interval of the
    /// checks of a SQLite file.
    package var probeInterval = Duration.seconds(5)
    /// From when calls are refused because too much work waits for the database; `nil` for the defaults.
    package var queueBounds: QueueBounds?
    /// Returns the free space in bytes on the file system of a SQLite database; `nil` to ask the system.
    package var freeSpace: (@Sendable () -> Int64)?
    /// The maximum time without data on a connection of the public listener; `nil` for the default.
    package var idleTimeout: Duration?
    /// How soon change streams notice changes by other processes, and how often they send a heartbeat.
    package var listening = Changes.Pace()
    /// The time that hooks have to agree to a merge, all of them together.
    package var mergePatience = Duration.seconds(5)
    /// The number of zero bits that the easiest proof-of-work challenge requires.
    package var challengeDifficulty = Services.leastChallengeDifficulty
    /// Called with the text of each statement, without values, before the database runs it.
    ///
    /// If it throws a `DatabaseError`, the statement fails with that error; after any other error, with `misuse`.
    package var onStatement: (@Sendable (String) throws -> Void)?

    /// Creates the environment of a real server, in which nothing is replaced.
    package init() {}
}
