package import Telemetry

/// What the database does at the moment, known without a query.
package struct DatabaseLoad: Sendable {
    /// The number of closures that wait to write or lease; with PostgreSQL, those that have conflicted repeatedly.
    package var queuedWrites = 0
    /// The number of closures that wait to read; with PostgreSQL, all closures that wait for a connection.
    package var queuedReads = 0
    /// The number of open connections for reading; with PostgreSQL, of all connections that run closures.
    package var connections = 0
    /// The number of those connections in use.
    package var connectionsInUse = 0
    /// The maximum number of those connections.
    package var connectionLimit = 0
    /// The size of the SQLite file in bytes; `nil` with PostgreSQL.
    package var fileBytes: Int64?
    /// The size of SQLite's write-ahead log in bytes; `nil` with PostgreSQL.
    package var logBytes: Int64?
    /// The numbers of closures in the commits that SQLite's closures shared; `nil` with PostgreSQL, where each closure
    /// commits alone.
    package var batches: Histogram.Snapshot?

    /// Makes the load of a database that does nothing.
    package init() {}
}
