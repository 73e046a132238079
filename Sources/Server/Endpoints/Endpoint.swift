internal import Database
internal import HTTPServer

/// One call of the API, as three plain, synchronous steps that read top to bottom in one file.
///
/// The HTTP thread decodes; the database runs the transaction, with its neighbours, while the connection is suspended; the
/// HTTP thread renders and answers. The transaction may run again, so everything random is drawn in ``decode(_:)``.
protocol Endpoint: Sendable {
    associatedtype Input: Sendable
    associatedtype Outcome: Sendable

    /// Reads the request and refuses what can be refused without the database.
    func decode(_ request: Request) throws -> Input
    /// Does the work, inside one transaction.
    func transact(_ input: Input, in transaction: Transaction) throws -> Outcome
    /// Makes the response of the outcome: signing, encoding.
    func render(_ outcome: Outcome) throws -> Response
}

/// An endpoint whose transaction only reads, and so runs at once on the HTTP thread.
protocol ReadingEndpoint: Endpoint {}

/// An endpoint whose transaction writes.
protocol WritingEndpoint: Endpoint {}

extension Services {
    /// The handler of an endpoint that reads.
    func handler(_ endpoint: some ReadingEndpoint, guarding guardFailures: Bool = false) -> Handler {
        { request in
            let failures = try guardFailures ? self.failures(of: request) : nil
            return try counting(failures) {
                let input = try endpoint.decode(request)
                let outcome = try self.database.readNow(snapshot: false) { try endpoint.transact(input, in: $0) }
                return .response(try endpoint.render(outcome))
            }
        }
    }

    /// The handler of an endpoint that writes.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - guardFailures: whether failed calls count against the client's address, as guesses.
    func handler(_ endpoint: some WritingEndpoint, guarding guardFailures: Bool = false) -> Handler {
        { request in
            let failures = try guardFailures ? self.failures(of: request) : nil
            let input = try counting(failures) { try endpoint.decode(request) }
            return .suspended { resumption in
                self.database.write { transaction in
                    try endpoint.transact(input, in: transaction)
                } completion: { result in
                    // A refusal that has something to keep comes out of `render`.
                    resumption.resume { try counting(failures) { try endpoint.render(try result.get()) } }
                }
            }
        }
    }
}

/// Runs a step and counts its failure against the client.
func counting<Value>(_ failures: FailureGuard?, _ step: () throws -> Value) throws -> Value {
    do { return try step() } catch {
        failures?.count(error)
        throw error
    }
}
