/// The state of a transaction whose statements are sent in batches, ahead of their answers.
///
/// A value without I/O: its methods say what to send, and the connection tells it what was sent and answered.
///
/// - Parameter Answer: the answer to a statement.
struct Pipeline<Answer> {
    /// A query as the key of its prefetched answer: its text and bound values.
    struct Question: Hashable {
        let text: StatementText
        let values: [SQLValue]

        init(_ sql: SQL) {
            text = StatementText(sql.text)
            values = sql.values
        }
    }

    /// How to find the answer to a query.
    enum Lookup {
        /// The query was not prefetched.
        case unknown
        /// The query was prefetched, and its answer arrives with those to the current batch.
        case awaited
        case known(Answer)
    }

    /// How to end a transaction.
    enum Commit {
        /// Nothing was sent, so there is nothing to end.
        case nothing
        /// There is no transaction, so the outstanding answers are only read.
        case read
        /// The transaction is open on the server, so COMMIT must be sent.
        case commit
    }

    /// What an error of the server means.
    enum Failure: Equatable {
        case ofStatement
        /// The server lacks a prepared statement, or the statement's plan is outdated. The closure may run again.
        case ofPlans
        /// The server cannot begin a transaction that writes: a standby.
        case ofStandby
    }

    /// A batch whose answers have not been read.
    struct Batch: Equatable {
        let statements: Int
        /// Whether the batch is the newest one.
        ///
        /// Older batches belong to abandoned transactions.
        let isCurrent: Bool
    }

    private enum State {
        /// No transaction, or one without BEGIN.
        case idle
        /// A transaction that begins with the first statement.
        case wanted([UInt8])
        case open
    }

    /// The maximum number of statements in one batch, because both sides hold them in memory.
    static var longestBatch: Int { 256 }

    private var state = State.idle
    /// The number of statements sent in the current batch.
    private(set) var unanswered = 0
    /// The statement counts of batches that were ended but whose answers have not been read.
    private var unread: [Int] = []
    /// The prefetched answers, by query; and the prefetched queries whose answers are outstanding, by their place in
    /// the batch.
    private var prefetched: [Question: Answer] = [:]
    private var awaited: [Int: Question] = [:]
    /// The place of BEGIN in the current batch, `nil` without one; and those of statements that use plans of earlier
    /// batches.
    private var begunAt: Int?
    private var planned: [Int] = []

    // MARK: Sending

    var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    /// Whether the current batch is long enough to be answered.
    var isFull: Bool { unanswered >= Self.longestBatch }

    /// Begins a transaction with the next statement.
    ///
    /// - Parameter statement: the statement that begins it; `nil` if none is needed.
    mutating func begin(with statement: [UInt8]?) {
        forgetPrefetched()
        state = statement.map { .wanted($0) } ?? .idle
    }

    /// Returns the statement that must be sent before any other, and counts the transaction as open; `nil` if none is
    /// needed.
    mutating func takeBegin() -> [UInt8]? {
        guard case .wanted(let statement) = state else { return nil }
        state = .open
        begunAt = unanswered
        return statement
    }

    /// Records that a statement was sent.
    mutating func sent() {
        unanswered += 1
    }

    /// Records that the next statement uses a plan of an earlier batch.
    mutating func planNext() {
        planned.append(unanswered)
    }

    /// Records that the batch was ended.
    mutating func endBatch() {
        unread.append(unanswered)
        unanswered = 0
    }

    // MARK: Prefetching

    /// Records that the statement sent last is a prefetched query.
    mutating func awaitLast(_ question: Question) {
        awaited[unanswered - 1] = question
    }

    /// Discards prefetched answers, because the transaction is about to write and they could be outdated then.
    mutating func forgetPrefetched() {
        if !prefetched.isEmpty { prefetched = [:] }
        if !awaited.isEmpty { awaited = [:] }
    }

    /// Takes the prefetched answer to a query, which can be taken once.
    ///
    /// For a change there is none, and all prefetched answers are discarded, because the change may make them wrong.
    mutating func lookUp(_ sql: SQL) -> Lookup {
        if prefetched.isEmpty, awaited.isEmpty { return .unknown }
        guard sql.isQuery else {
            forgetPrefetched()
            return .unknown
        }
        let question = Question(sql)
        if awaited.values.contains(question) { return .awaited }
        return prefetched.removeValue(forKey: question).map { .known($0) } ?? .unknown
    }

    /// Keeps the prefetched answer to a query for another query.
    mutating func answer(_ query: SQL, withPrefetched other: SQL) {
        if let answer = prefetched.removeValue(forKey: Question(other)) { prefetched[Question(query)] = answer }
    }

    /// Takes the answer to a change that was sent as a prefetched query is.
    mutating func takePrefetched(_ change: SQL) -> Answer? {
        prefetched.removeValue(forKey: Question(change))
    }

    // MARK: Receiving

    /// The oldest batch with answers to read; `nil` if all were read.
    var nextBatch: Batch? {
        unread.first.map { Batch(statements: $0, isCurrent: unread.count == 1) }
    }

    /// Records an answer to a statement of the current batch.
    mutating func received(_ answer: Answer, at place: Int) {
        if let question = awaited[place] { prefetched[question] = answer }
    }

    /// Records that the oldest batch was read.
    mutating func finishBatch() {
        unread.removeFirst()
        guard unread.isEmpty else { return }
        forgetPlaces()
        if !awaited.isEmpty { awaited = [:] }
    }

    /// Returns what an error means.
    ///
    /// - Parameters:
    ///   - sqlState: the error's code, if it has one.
    ///   - place: the statement's place in the current batch; `nil` if it belongs to an abandoned batch.
    func failure(_ sqlState: String?, at place: Int?) -> Failure {
        switch sqlState {
        // A pooler assigned another connection.
        case "26000": .ofPlans
        // The schema changed under a plan. For one that was made just now, the server lacks the feature.
        case "0A000" where place.map { planned.contains($0) } ?? false: .ofPlans
        // A standby without serializable transactions now has the address and has not been promoted yet.
        case "0A000" where place != nil && place == begunAt: .ofStandby
        default: .ofStatement
        }
    }

    // MARK: Ending

    /// Returns how to end the transaction with a commit; if nothing was sent, ends it.
    mutating func commit() -> Commit {
        switch state {
        case .idle: return unanswered > 0 ? .read : .nothing
        case .wanted:
            state = .idle
            return .nothing
        case .open: return .commit
        }
    }

    /// Records that COMMIT was answered.
    mutating func committed() {
        state = .idle
    }

    /// Gives up the transaction.
    ///
    /// The server skips a failed batch up to its end, including a ROLLBACK in the same batch.
    ///
    /// - Returns: whether the current batch must be ended, and whether a ROLLBACK must follow in a batch of its own.
    mutating func rollback() -> (endsBatch: Bool, rollsBack: Bool) {
        defer {
            state = .idle
            forgetPlaces()
        }
        if case .open = state { return (unanswered > 0, true) }
        return (unanswered > 0, false)
    }

    private mutating func forgetPlaces() {
        begunAt = nil
        planned.removeAll(keepingCapacity: true)
    }
}
