internal import Accounts
internal import Database
internal import HTTPServer
internal import Network

/// One call of the API, as plain, synchronous steps in one file: decode, transact, committed, render.
///
/// The HTTP thread decodes. The database runs the transaction, perhaps in a batch with others, while the connection is
/// suspended. If a writing transaction is committed, the database's thread runs `committed`. Then the HTTP thread
/// renders the response. The transaction may run again, so all random values are drawn while decoding.
protocol Endpoint: Sendable {
    associatedtype Input: Sendable
    associatedtype Outcome: Sendable

    /// Does the work inside one transaction.
    ///
    /// May run more than once, so it changes nothing but the database. What it throws rolls the transaction back.
    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome
    /// Makes the response from the outcome of the finished transaction, including signing and encoding.
    ///
    /// Runs on the HTTP thread; after a merge that waited for hooks, in a task. It changes nothing that other calls
    /// share, because it may never run: at a stop, or after the call's deadline, the client gets another response.
    func render(_ outcome: Outcome) throws -> Response
}

extension Endpoint {
    /// The name of the endpoint's transactions in the transaction statistics.
    static var name: String { "\(Self.self)" }
}

/// The values of a call that ``ChangingEndpoint/committed(_:of:)`` may use beside the outcome.
struct CallContext: Sendable {
    /// The address of the client.
    let client: IPAddress
}

/// An endpoint whose transaction only reads, and whose statements need not see the same state of the database.
///
/// With SQLite, the transaction runs at once on the HTTP thread.
protocol ReadingEndpoint: Endpoint {
    /// `AuthorizedRequest` for a call that requires an API key or an administrator; otherwise `Request`.
    associatedtype Call: EndpointRequest

    /// Decodes the request and refuses what can be refused without the database. Runs on the HTTP thread.
    ///
    /// - Throws: ``Refusal`` or ``RequestError`` for the client.
    func decode(_ call: Call) throws -> Input
    /// Whether calls that wait for a connection to PostgreSQL share one transaction.
    static var sharesTransactions: Bool { get }
    /// Whether all queries of the transaction must see the same state on PostgreSQL, because they would contradict one
    /// another otherwise. Calls that share a transaction do not use it.
    static var needsSnapshot: Bool { get }
    /// Does the work of several calls, each of which has a result of its own.
    ///
    /// Throws only what fails all of them.
    func transact(_ inputs: [Input], in transaction: Transaction) throws -> [Result<Outcome, any Error>]
}

extension ReadingEndpoint {
    static var sharesTransactions: Bool { false }
    static var needsSnapshot: Bool { false }

    func transact(_ inputs: [Input], in transaction: Transaction) throws -> [Result<Outcome, any Error>] {
        inputs.map { input in Result { try transact(input, in: transaction) } }
    }
}

/// An endpoint whose transaction writes, and whose input comes from the request alone.
protocol WritingEndpoint: ChangingEndpoint {
    /// `AuthorizedRequest` for a call that requires an API key or an administrator; otherwise `Request`.
    associatedtype Call: EndpointRequest

    /// Decodes the request and refuses what can be refused without the database. Runs on the HTTP thread.
    ///
    /// - Throws: ``Refusal`` or ``RequestError`` for the client.
    func decode(_ call: Call) throws -> Input
    /// Whether the call is likely to change nothing, so that it is worth a read beforehand; by default not.
    ///
    /// A wrong guess costs time only.
    func mayChangeNothing(_ input: Input, of request: Request) -> Bool
    /// Does the work of a call that changes nothing, in a transaction that only reads.
    ///
    /// Runs on the HTTP thread, only with SQLite and for calls that ``mayChangeNothing(_:of:)``. If it returns an outcome
    /// or throws a refusal, neither `transact` nor `committed` runs.
    ///
    /// - Returns: the outcome; `nil` if the call must write.
    func read(_ input: Input, in transaction: Transaction) throws -> Outcome?
}

extension WritingEndpoint {
    func mayChangeNothing(_ input: Input, of request: Request) -> Bool { false }
    func read(_ input: Input, in transaction: Transaction) throws -> Outcome? { nil }
}

/// An endpoint whose transaction writes, and whose decoding may have to wait, such as for the keys of an issuer.
protocol AwaitingEndpoint: ChangingEndpoint {
    /// `AuthorizedRequest` for a call that requires an API key or an administrator; otherwise `Request`.
    associatedtype Call: EndpointRequest

    /// Decodes the request and refuses what can be refused without the database and without fetching. Runs on the HTTP
    /// thread.
    ///
    /// - Throws: ``Refusal`` or ``RequestError`` for the client.
    func decode(_ call: Call) throws -> Decoded<Input>
}

/// An endpoint whose transaction writes.
protocol ChangingEndpoint: Endpoint {
    /// Does what follows from a committed transaction: enqueues log entries, wakes up workers, notifies change streams,
    /// and counts for the log a refusal that is the transaction's outcome, such as that of a wrong code, which is
    /// stored.
    ///
    /// This method runs once for each committed transaction, whether or not the client still waits for the response,
    /// and before the response is rendered. It does not run if the transaction threw, was rolled back on purpose
    /// (``RolledBack``), or has an unknown outcome. It runs on the database's thread, so it must not wait.
    ///
    /// - Parameters:
    ///   - outcome: what the transaction returned.
    ///   - call: the other values of the call that this method may need.
    func committed(_ outcome: Outcome, of call: CallContext)
    /// Does what follows from a refusal that the transaction threw, beside counting it; by default nothing.
    ///
    /// Runs on the database's thread, so it must not wait.
    func refused(_ refusal: Refusal, _ input: Input, of call: CallContext)
    /// Whether the transaction must not share a commit with others, because it may run SQL of the operator's.
    func runsAlone(_ input: Input) -> Bool
    /// The isolation that the transaction needs on PostgreSQL; `serializable` unless docs/architecture.md says what
    /// protects this kind of transaction instead.
    func isolation(_ input: Input) -> Isolation
    /// Returns a key if the call may share one transaction with others of its kind that wait for a connection to
    /// PostgreSQL; otherwise `nil`.
    ///
    /// Such a transaction must not wait for others, and what it throws must not have to be stored. A call that would have
    /// to wait runs alone. The key names what it may wait for, such as its user: of the calls with one key that run alone,
    /// one at a time runs.
    func sharedKey(_ input: Input) -> String?
    /// Does the work of several calls that share a transaction, each of which has an outcome of its own.
    ///
    /// What it throws rolls the transaction back, and the calls run again in parts.
    func transact(_ inputs: [Input], in transaction: Transaction) throws -> [SharedOutcome<Outcome>]
    /// Handles a transaction that violated a constraint: of the operator's tables, by a foreign key or trigger, or of
    /// Latchkey's own.
    ///
    /// After a merge that waited for hooks there is no second attempt, and only the thrown refusal matters.
    ///
    /// - Returns: the input for a second and last attempt; `nil` if the error stands.
    /// - Throws: a ``Refusal`` for the client in place of the error.
    func inputAfterConstraint(_ input: Input) throws -> Input?
}

extension ChangingEndpoint {
    func refused(_ refusal: Refusal, _ input: Input, of call: CallContext) {}
    func runsAlone(_ input: Input) -> Bool { false }
    func isolation(_ input: Input) -> Isolation { .serializable }
    func sharedKey(_ input: Input) -> String? { nil }
    func transact(_ inputs: [Input], in transaction: Transaction) throws -> [SharedOutcome<Outcome>] {
        try inputs.map { .answered(.success(try transact($0, in: transaction))) }
    }
    func inputAfterConstraint(_ input: Input) throws -> Input? { nil }
}

/// Thrown by a transaction that has determined its outcome but must be rolled back.
struct RolledBack<Outcome: Sendable>: Error {
    let outcome: Outcome
}
