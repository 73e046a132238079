/// An error of the database.
///
/// `description` names statements and columns but never contains a bound value, so it may be logged. None of it belongs
/// in a reply.
@usableFromInline
package struct DatabaseError: Error, Sendable, Hashable {
    /// The kinds of errors that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// Another process or transaction held a lock, or conflicts went on, for longer than the time limit. A later
        /// retry may succeed.
        case busy
        /// A statement exceeded the server's time limit, or an administrator cancelled it. Nothing was changed; a
        /// smaller statement may succeed.
        case timeout
        /// No space is left. Nothing was changed; a retry succeeds once there is space.
        case full
        /// A write was attempted on a reading connection, on a read-only database or on a standby, or the file system
        /// forbids it.
        case readOnly
        /// A change violated a constraint of the schema, or a trigger rejected it.
        case constraint(Constraint)
        /// Stored data is damaged, or the file is not a database.
        case corrupt
        /// A file could not be opened, created, read or written.
        case io
        /// An error in the caller or the operator's setup: an invalid statement, a wrong column, a transaction used
        /// after its end, a server without a required setting.
        case misuse
        /// Text that cannot be stored or read: U+0000, or not UTF-8.
        case invalidText
        /// The database was closed.
        case closed
        /// A conflict with other transactions, or a prepared statement that the server no longer knows. The whole
        /// closure may be retried.
        case conflict
        /// The server is away, does not answer or has no free connection. Nothing was changed; a later retry may
        /// succeed.
        case unavailable
        /// The server went away during the commit. The change may or may not have happened.
        case outcomeUnknown
        /// Too much work is waiting, all connections are in use, or the closure has waited for too long. A later retry
        /// may succeed.
        case overloaded
        /// The schema is not that of this program's migrations: it is newer or another program's, a migration was
        /// altered afterwards, or some are missing where none may be applied.
        case schema
        /// Any other error, such as of the server itself or of authentication, or a broken assumption of this program.
        case `internal`
    }

    /// The kinds of constraints that a change can violate.
    package enum Constraint: Sendable, Hashable {
        /// A unique index or primary key, or an exclusion constraint of PostgreSQL.
        case unique
        /// A reference to a missing row, or a deleted row that is still referenced.
        case foreignKey
        /// A CHECK constraint, or in SQLite a value of the wrong type for its column.
        case check
        /// NULL in a column that must have a value.
        case notNull
        /// An error raised by a trigger.
        case trigger
        /// Any other constraint, or one that the engine does not name.
        case other
    }

    /// The kind of the error.
    package let kind: Kind
    /// The extended result code of SQLite, or the `errno` of a system call; 0 for PostgreSQL and for Latchkey's own
    /// errors.
    package let code: Int
    /// The message of the engine, the operating system or Latchkey, without bound values.
    package let message: String
    /// The failed statement, without bound values, if there is one.
    package let statement: String?
    /// The name of the violated constraint, which only PostgreSQL reports; otherwise `nil`.
    package let constraint: String?
    /// The table whose constraint was violated, which only PostgreSQL reports; otherwise `nil`.
    package let table: String?

    /// Creates an error.
    ///
    /// The message and statement must not contain bound values.
    package init(_ kind: Kind, code: Int = 0, message: String, statement: String? = nil) {
        self.init(kind, code: code, message: message, statement: statement, constraint: nil, table: nil)
    }

    init(
        _ kind: Kind,
        code: Int = 0,
        message: String,
        statement: String? = nil,
        constraint: String?,
        table: String?
    ) {
        self.kind = kind
        self.code = code
        self.message = message
        self.statement = statement
        self.constraint = constraint
        self.table = table
    }

    static let closed = DatabaseError(.closed, message: "the database is closed")
    package static let overloaded = DatabaseError(.overloaded, message: "too much work is waiting for the database")

    /// Whether the error lies with the machine, the server or a lock and not with one closure, so that other closures
    /// of the same batch would meet it too.
    var concernsTheMachine: Bool {
        switch kind {
        case .full, .io, .corrupt, .busy, .timeout, .internal, .unavailable, .outcomeUnknown: true
        case .readOnly, .constraint, .misuse, .invalidText, .closed, .overloaded, .schema, .conflict: false
        }
    }

    /// Returns the same error with the failed statement; unchanged if it names one already.
    func blaming(_ sql: SQL) -> DatabaseError {
        guard statement == nil else { return self }
        return DatabaseError(
            kind,
            code: code,
            message: message,
            statement: sql.description,
            constraint: constraint,
            table: table
        )
    }
}

extension DatabaseError: CustomStringConvertible {
    /// One line for the log: kind, code, message and statement, without bound values.
    @usableFromInline
    package var description: String {
        let place = statement.map { " in: \($0)" } ?? ""
        return "database: \(kind) (\(code)): \(message)\(place)"
    }
}

extension DatabaseError.Kind {
    /// Whether the schema refused a statement: a constraint, a missing table or column, an invalid value, or missing
    /// rights to write.
    ///
    /// Other statements may still succeed.
    package var isOfTheSchema: Bool {
        switch self {
        case .constraint, .misuse, .invalidText, .readOnly: true
        case .busy, .timeout, .full, .corrupt, .io, .closed, .overloaded, .schema, .internal, .conflict, .unavailable,
            .outcomeUnknown:
            false
        }
    }
}
