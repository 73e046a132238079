/// What went wrong in the database.
///
/// `description` names statements and columns but never a bound value, so it may go to a log; nothing of it belongs in a reply.
package struct DatabaseError: Error, Sendable, Hashable {
    /// What a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// Another process held the lock for longer than the time-out. Trying again later may work.
        case busy
        /// A statement took longer than the server lets it. Nothing was changed; less at once may work.
        case timeout
        /// No space is left. Nothing was changed; works again once there is space.
        case full
        /// A write was tried on a connection that reads, or on a database that cannot be written.
        case readOnly
        /// The schema refused the change.
        case constraint(Constraint)
        /// The file is damaged or no database.
        case corrupt
        /// The operating system failed to read or write.
        case io
        /// The caller is wrong: a broken statement, a wrong column, a transaction used after its end.
        case misuse
        /// Text that cannot be stored or read: U+0000, or not UTF-8.
        case invalidText
        /// The database was closed.
        case closed
        /// Others got in the way; the whole closure may be tried again.
        case conflict
        /// The server is not there, or does not answer. Nothing was changed; trying again later works.
        case unavailable
        /// The server went away while it committed: the change may have happened or not.
        case outcomeUnknown
        /// Too much work is waiting. Trying again later works.
        case overloaded
        /// The schema is newer than this program, or not what this program made.
        case schema
        /// Anything else.
        case `internal`
    }

    /// The rule that a change broke.
    package enum Constraint: Sendable, Hashable {
        /// A unique index or primary key.
        case unique
        /// A reference to a row that is not there, or from rows that still are.
        case foreignKey
        /// A CHECK, or a value of the wrong type.
        case check
        /// A missing value.
        case notNull
        /// A trigger raised it.
        case trigger
        /// Any other.
        case other
    }

    /// What a caller can act on.
    package let kind: Kind
    /// The engine's own code (for SQLite its extended result code), 0 when the error is ours.
    package let code: Int
    /// What the engine says, without bound values.
    package let message: String
    /// The statement, without bound values, where one is to blame.
    package let statement: String?
    /// The name of the constraint that was broken, where the engine tells.
    let constraint: String?
    /// The table whose rule was broken, where the engine tells.
    let table: String?

    /// Makes an error; the message and statement must hold no bound value.
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
    static let overloaded = DatabaseError(.overloaded, message: "too much work is waiting for the database")

    /// Whether the fault lies with the machine rather than with one closure, so that its neighbours must not share its fate.
    var concernsTheMachine: Bool {
        switch kind {
        case .full, .io, .corrupt, .busy, .timeout, .internal, .unavailable, .outcomeUnknown: true
        case .readOnly, .constraint, .misuse, .invalidText, .closed, .overloaded, .schema, .conflict: false
        }
    }

    /// The same error, with the statement to blame.
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
    /// One line for the log: kind, code, message, statement; never a bound value.
    package var description: String {
        let place = statement.map { " in: \($0)" } ?? ""
        return "database: \(kind) (\(code)): \(message)\(place)"
    }
}
