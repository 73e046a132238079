/// The names of the statements that a connection has prepared on the server.
///
/// A value without I/O: it says what to send, and learns what was answered.
struct PreparedStatements {
    /// How to run a statement.
    enum Use: Equatable {
        /// By a name that the server knows.
        ///
        /// - Parameter isConfirmed: whether the server prepared it for an earlier batch, so that its plan may be
        ///   outdated.
        case known(String, isConfirmed: Bool)
        /// By a new name, under which the statement must be prepared first.
        ///
        /// - Parameter afterClearing: whether the server must first forget all names, because it holds too many.
        case new(String, afterClearing: Bool)
    }

    private let limit: Int
    private let prefix: String
    private var names: [StatementText: String] = [:]
    /// The statements whose batch has not been answered yet.
    private var unconfirmed: Set<StatementText> = []
    private var made = 0
    /// The number of names that the server may hold, including those that were forgotten here.
    private var held = 0

    /// Creates an empty list for a new connection.
    ///
    /// - Parameters:
    ///   - limit: the number of names that the server may hold.
    ///   - prefix: the beginning of all names.
    init(limit: Int, prefix: String) {
        self.limit = limit
        self.prefix = prefix
    }

    /// Returns how to run a statement, whose text has marks for binds.
    func use(_ text: StatementText) -> Use {
        if let known = names[text] { return .known(known, isConfirmed: !unconfirmed.contains(text)) }
        return .new("\(prefix)\(made + 1)", afterClearing: held >= limit)
    }

    /// Records that the server was told to forget all names.
    mutating func cleared() {
        names = [:]
        held = 0
    }

    /// Records that a statement was sent to be prepared under a new name.
    mutating func sent(_ text: StatementText, as name: String) {
        made += 1
        held += 1
        names[text] = name
        unconfirmed.insert(text)
    }

    /// Records that everything sent was answered.
    mutating func confirm() {
        if !unconfirmed.isEmpty { unconfirmed.removeAll(keepingCapacity: true) }
    }

    /// Forgets the statements that are not confirmed, because a failed batch may not have prepared them.
    mutating func forgetUnconfirmed() {
        for text in unconfirmed { names[text] = nil }
    }

    /// Forgets all statements, because the server may not know them, or their plans are outdated.
    mutating func forgetAll() {
        names = [:]
    }
}
