internal import CPostgreSQL

/// One connection with its transaction.
///
/// Nothing is sent before it is needed: BEGIN rides with the first statement whose answer somebody waits for, and COMMIT with
/// the last changes, so that a transaction takes one round trip for each question and one for its end.
///
/// Used by one thread at a time; the pool lends it.
@safe final class PostgreSQLConnection: TransactionEngine {
    /// What kind of transaction is to begin.
    enum Mode: Sendable {
        /// Each statement for itself: for a single one that reads.
        case single
        /// Reads on one snapshot.
        case snapshot
        /// Reads and writes as if alone.
        case serializable
        /// Takes leases, which rows that others have locked must not hold up.
        case readCommitted

        fileprivate var begin: [UInt8]? {
            switch self {
            case .single: nil
            case .snapshot: Array("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".utf8)
            case .serializable: Array("BEGIN ISOLATION LEVEL SERIALIZABLE".utf8)
            case .readCommitted: Array("BEGIN ISOLATION LEVEL READ COMMITTED".utf8)
            }
        }

        private static let beginSingle = Array("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY".utf8)

        /// What begins the transaction, and whether its limits have to be set in it: a pooler may give each transaction another
        /// session, which must stay as the operator made it.
        fileprivate func begin(settingLimits: Bool) -> [UInt8]? { begin ?? (settingLimits ? Self.beginSingle : nil) }
    }

    private struct Question: Hashable {
        let text: [UInt8]
        let values: [SQLValue]

        /// Whether it only reads, as far as its beginning tells.
        var isReadOnly: Bool { text.starts(with: Array("SELECT".utf8)) }
    }

    private enum State {
        /// No transaction, or one that sends no BEGIN.
        case idle
        /// To begin with the first statement.
        case wanted([UInt8])
        case open
    }

    let dialect = Dialect.postgreSQL
    let assets: AssetCache
    var health: DatabaseHealth { configuration.health }
    let link: PostgreSQLLink
    let configuration: PostgreSQLConfiguration
    private var state = State.idle
    /// How many statements were sent since the last stretch of the pipeline ended.
    private var unanswered = 0
    /// The stretches that were sent and not read, each by its statements: ends of transactions that nobody waited for.
    private var unread: [Int] = []
    /// The answers to questions that will be asked, and where in the present stretch those are that were not read yet.
    private var foreseen: [Question: PostgreSQLResult] = [:]
    private var awaited: [Int: Question] = [:]
    /// The names of the statements that the server knows, by their text.
    private var prepared: [[UInt8]: String] = [:]
    /// Those of them that it was told in stretches whose answers have not been read.
    private var unconfirmed: Set<[UInt8]> = []
    /// Of this connection alone: behind a pooler that nobody told us of, another's statement could have the name.
    private let namePrefix = "s\(String(UInt64.random(in: .min ... .max), radix: 36))_"
    private var names = 0
    /// How many names the server may have in mind, those included that were forgotten here.
    private var namesAtServer = 0
    /// Where in the present stretch the BEGIN is, and those that run by plans of earlier stretches.
    private var begunAt: Int?
    private var planned: [Int] = []
    /// How often an answer was waited for.
    private(set) var roundTrips = 0
    /// How many statements were sent, those that begin and end transactions not counted.
    private(set) var statements = 0
    /// How many rows were inserted, changed or deleted.
    private(set) var changes = 0
    /// How long an answer may take, in milliseconds.
    private var patience: Int

    /// So many statements ride together at most; both sides hold them in memory.
    private static let longestStretch = 256

    /// Connects and sets the session up.
    ///
    /// - Throws: `unavailable`.
    init(_ configuration: PostgreSQLConfiguration) throws(DatabaseError) {
        self.configuration = configuration
        // A server that is only slow says so itself; what comes later is a server, or a network, that is gone.
        patience = configuration.statementTimeout + 1000
        assets = AssetCache(configuration.assets)
        link = try PostgreSQLLink(url: configuration.url, by: Deadline(in: configuration.connectTimeout))
    }

    /// Whether the server is still there at the other end.
    func isAlive(within milliseconds: Int) -> Bool {
        patience = milliseconds
        defer { patience = configuration.statementTimeout + 1000 }
        begin(.single)
        let isAlive = (try? open("SELECT 1")) != nil
        rollback()
        return isAlive
    }

    /// Whether it can be lent again.
    var isUsable: Bool {
        if case .idle = state { return !link.isBroken && !link.isClosedByServer }
        return false
    }

    // MARK: The transaction around a closure

    /// Begins a transaction with the next statement; one that is open is given up.
    func begin(_ mode: Mode) {
        rollback()
        forgetForeseen()
        state = mode.begin(settingLimits: !configuration.prepares).map { .wanted($0) } ?? .idle
    }

    /// Commits; returns once that is durable.
    ///
    /// - Throws: what a statement said that nobody has waited for yet; `outcomeUnknown` when the server went away
    ///   in between.
    func commit() throws(DatabaseError) {
        switch state {
        case .idle:
            if unanswered > 0 { _ = try answers() }
        case .wanted: state = .idle
        case .open:
            try send(Array("COMMIT".utf8))
            let last: PostgreSQLResult?
            do throws(DatabaseError) {
                last = try answers()
            } catch {
                guard link.isBroken else { throw error }
                throw DatabaseError(.outcomeUnknown, message: "the server went away during COMMIT: \(error.message)")
            }
            state = .idle
            // COMMIT of a transaction that has failed answers ROLLBACK and no error.
            guard last?.command == "COMMIT" else {
                throw DatabaseError(.internal, message: "the transaction had failed before its COMMIT")
            }
        }
    }

    /// Gives a transaction up, without waiting for the server.
    func rollback() {
        defer {
            state = .idle
            beginStretch()
        }
        guard !link.isBroken else { return }
        // A stretch that failed is skipped to its end, and so would be a ROLLBACK in it, or what others send after it.
        if unanswered > 0 { try? endStretch() }
        guard case .open = state else { return }
        try? send(Array("ROLLBACK".utf8))
        try? endStretch()
    }

    // MARK: TransactionEngine

    let foresees = true

    func foresee(_ sql: SQL) throws(DatabaseError) {
        let question = try sendStatement(sql)
        awaited[unanswered - 1] = question
    }

    /// What was foreseen holds for as long as nothing is changed.
    private func forgetForeseen() {
        foreseen = [:]
        awaited = [:]
    }

    private func foreseenAnswer(to sql: SQL) throws(DatabaseError) -> PostgreSQLResult? {
        if foreseen.isEmpty, awaited.isEmpty { return nil }
        let question = Question(text: try dialect.render(sql), values: sql.values)
        guard question.isReadOnly else {
            forgetForeseen()
            return nil
        }
        if awaited.values.contains(question) { _ = try answers() }
        return foreseen.removeValue(forKey: question)
    }

    func settle() throws(DatabaseError) {
        if unanswered > 0 { _ = try answers() }
    }

    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        if let known = try foreseenAnswer(to: sql) { return known }
        return try openBesideForeseen(sql)
    }

    func openBesideForeseen(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        try sendStatement(sql)
        guard let result = try answers() else {
            throw DatabaseError(.internal, message: "the server did not answer a statement")
        }
        return result
    }

    func queue(_ sql: SQL) throws(DatabaseError) {
        forgetForeseen()
        try sendStatement(sql)
        if unanswered >= Self.longestStretch { _ = try answers() }
    }

    func attempt(_ sql: SQL) throws(DatabaseError) -> Int {
        forgetForeseen()
        try beginIfWanted()
        try send(Array("SAVEPOINT attempt".utf8))
        _ = try answers()
        do throws(DatabaseError) {
            let changes = try open(sql).changes
            try send(Array("RELEASE SAVEPOINT attempt".utf8))
            return changes
        } catch {
            guard !link.isBroken else { throw error }
            try send(Array("ROLLBACK TO SAVEPOINT attempt".utf8))
            try send(Array("RELEASE SAVEPOINT attempt".utf8))
            throw error
        }
    }

    func beginRehearsal() throws(DatabaseError) {
        try beginIfWanted()
        try send(Array("SAVEPOINT rehearsal".utf8))
    }

    func endRehearsal() throws(DatabaseError) {
        forgetForeseen()
        // What failed unheard would have failed at the commit.
        try settle()
        try send(Array("ROLLBACK TO SAVEPOINT rehearsal".utf8))
        try send(Array("RELEASE SAVEPOINT rehearsal".utf8))
    }

    func deferForeignKeys() throws(DatabaseError) {
        try beginIfWanted()
        try send(Array("SET CONSTRAINTS ALL DEFERRED".utf8))
    }

    func unresolvedConstraint() throws(DatabaseError) -> DatabaseError? {
        forgetForeseen()
        try beginIfWanted()
        try send(Array("SAVEPOINT unresolved".utf8))
        _ = try answers()
        var unresolved: DatabaseError?
        do throws(DatabaseError) {
            try send(Array("SET CONSTRAINTS ALL IMMEDIATE".utf8))
            _ = try answers()
        } catch {
            guard case .constraint = error.kind, !link.isBroken else { throw error }
            unresolved = error
        }
        // What comes after may be deferred again.
        try send(Array("ROLLBACK TO SAVEPOINT unresolved".utf8))
        try send(Array("RELEASE SAVEPOINT unresolved".utf8))
        return unresolved
    }

    func attach(_ path: String, as name: String) throws(DatabaseError) {
        throw DatabaseError(.misuse, message: "only SQLite attaches files")
    }

    // MARK: Sending and receiving

    @discardableResult
    private func sendStatement(_ sql: SQL) throws(DatabaseError) -> Question {
        if sql.steersConnection { throw .steering }
        let text = try dialect.render(sql)
        if let onStatement = configuration.onStatement { try onStatement(String(decoding: text, as: UTF8.self)) }
        try beginIfWanted()
        statements += 1
        try send(text, sql.values, prepared: configuration.prepares ? try name(of: text) : nil)
        return Question(text: text, values: sql.values)
    }

    func beginIfWanted() throws(DatabaseError) {
        guard case .wanted(let begin) = state else { return }
        state = .open
        begunAt = unanswered
        try send(begin)
        guard !configuration.prepares else { return }
        for (name, value) in configuration.sessionSettings {
            try send(Array("SET LOCAL \(name) = \(value)".utf8))
        }
    }

    private func send(
        _ text: [UInt8],
        _ values: [SQLValue] = [],
        prepared name: String? = nil
    ) throws(DatabaseError) {
        try link.send(text, prepared: name, values)
        unanswered += 1
    }

    /// The name under which the server knows a statement, which is told it first where need be.
    private func name(of text: [UInt8]) throws(DatabaseError) -> String {
        if let known = prepared[text] {
            if !unconfirmed.contains(text) { planned.append(unanswered) }
            return known
        }
        if namesAtServer >= configuration.statementCacheLimit {
            try send(Array("DEALLOCATE ALL".utf8))
            prepared = [:]
            namesAtServer = 0
        }
        names += 1
        namesAtServer += 1
        let name = "\(namePrefix)\(names)"
        try link.prepare(name, text)
        unanswered += 1
        prepared[text] = name
        unconfirmed.insert(text)
        return name
    }

    private func beginStretch() {
        begunAt = nil
        planned.removeAll(keepingCapacity: true)
    }

    private func endStretch() throws(DatabaseError) {
        try link.synchronize()
        try link.flush()
        unread.append(unanswered)
        unanswered = 0
    }

    /// Ends the stretch and reads the answers to everything that was sent.
    ///
    /// - Returns: the answer to the last statement.
    /// - Throws: what the first statement that failed says.
    func answers() throws(DatabaseError) -> PostgreSQLResult? {
        try endStretch()
        roundTrips += 1
        // The server says nothing before the end of a stretch, so this is the time for all of it.
        let deadline = Deadline(in: patience)
        var last: PostgreSQLResult?
        var failure: DatabaseError?
        while !unread.isEmpty {
            // Whatever became of transactions that were given up is nobody's failure.
            let isCurrent = unread.count == 1
            let (result, error) = try readStretch(unread[0], isCurrent: isCurrent, by: deadline)
            unread.removeFirst()
            if isCurrent { (last, failure) = (result, error) }
        }
        unconfirmed = []
        beginStretch()
        awaited = [:]
        if let failure { throw failure }
        return last
    }

    private func readStretch(
        _ statements: Int,
        isCurrent: Bool,
        by deadline: Deadline
    ) throws(DatabaseError) -> (PostgreSQLResult?, DatabaseError?) {
        var last: PostgreSQLResult?
        var failure: DatabaseError?
        for number in 0..<statements {
            while let handle = unsafe try link.receive(by: deadline) {
                let result = unsafe PostgreSQLResult(owning: handle)
                if let error = result.error, failure == nil {
                    let isOfServer = result.status != PGRES_FATAL_ERROR || result.sqlState != nil
                    guard isOfServer else { throw link.broken("the answer could not be read") }
                    failure = note(error, result.sqlState, of: isCurrent ? number : nil)
                }
                last = result
                changes &+= result.changes
                if isCurrent, let question = awaited[number] { foreseen[question] = result }
            }
        }
        guard let handle = unsafe try link.receive(by: deadline) else {
            throw link.broken("the server left out an answer")
        }
        unsafe PQclear(handle)
        return (last, failure)
    }

    /// Forgets statements that the server may not know, and makes a failure of what it knows about them one to try again: a
    /// pooler has given us another connection, or the schema has changed under a plan.
    ///
    /// - Parameters:
    ///   - error: what the server says.
    ///   - sqlState: its code, where it has one.
    ///   - number: where in the present stretch the statement is; `nil` where it is in one that was given up.
    private func note(_ error: DatabaseError, _ sqlState: String?, of number: Int?) -> DatabaseError {
        for text in unconfirmed { prepared[text] = nil }
        switch sqlState {
        case "26000": break
        // Of a plan that was made just now it says what the server does not offer at all.
        case "0A000" where number.map { planned.contains($0) } ?? false: break
        // A standby, which has no serializable transactions, has the address now, and was not promoted yet.
        case "0A000" where number != nil && number == begunAt: return DatabaseError(.readOnly, message: error.message)
        default: return error
        }
        prepared = [:]
        return DatabaseError(.conflict, message: error.message)
    }
}
