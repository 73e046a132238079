extension PostgreSQLConnection {
    /// The kind of transaction to begin.
    enum Mode: Sendable {
        /// Each statement sees the newest state by itself; only for reads.
        case single
        /// Reads on one snapshot.
        case snapshot
        /// Reads and writes with serializable isolation.
        case serializable
        /// Reads and writes with READ COMMITTED isolation: for leases, which skip rows that other transactions have
        /// locked, and for migrations.
        case readCommitted

        private static let beginSnapshot = Array("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".utf8)
        private static let beginSerializable = Array("BEGIN ISOLATION LEVEL SERIALIZABLE".utf8)
        private static let beginReadCommitted = Array("BEGIN ISOLATION LEVEL READ COMMITTED".utf8)
        private static let beginSingle = Array("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY".utf8)

        /// Returns the BEGIN statement for this mode; `nil` if the mode needs no transaction.
        ///
        /// `single` needs a transaction only behind a pooler. There the caller sets the session settings with SET LOCAL,
        /// because the server connection serves other clients afterwards and must stay as the operator configured it.
        ///
        /// - Parameter settingLimits: whether the caller sets the session settings in the transaction.
        func begin(settingLimits: Bool) -> [UInt8]? {
            switch self {
            case .single: settingLimits ? Self.beginSingle : nil
            case .snapshot: Self.beginSnapshot
            case .serializable: Self.beginSerializable
            case .readCommitted: Self.beginReadCommitted
            }
        }
    }
}
