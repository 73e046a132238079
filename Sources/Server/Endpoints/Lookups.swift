internal import Database
internal import HTTPServer
internal import Synchronization

/// What a handler has to know of the database before it can go on, where that takes a round trip: the thread that serves
/// connections must not wait for it.
///
/// Such a handler runs again from its beginning once the answer is there. Up to a look-up it only reads the request, so it
/// comes to the same one again, and finds the answer.
final class Lookups: Sendable {
    /// Those of the handler that runs; `nil` where nothing can be waited for, such as in judging a request by its head.
    @TaskLocal static var current: Lookups?

    /// What was found, in the order of asking.
    private let answers: [Answer]
    private let asked = Atomic<Int>(0)

    typealias Answer = Result<any Sendable, any Error>

    fileprivate init(_ answers: [Answer] = []) {
        self.answers = answers
    }

    /// Thrown by a handler that has to wait for an answer.
    fileprivate struct Awaits: Error {
        let ask: @Sendable (any Database, @escaping @Sendable (Answer) -> Void) -> Void
    }

    fileprivate func answer<Value: Sendable>(_ question: @escaping @Sendable (Transaction) throws -> Value) throws
        -> Value
    {
        let number = asked.add(1, ordering: .relaxed).oldValue
        guard number < answers.count else {
            throw Awaits { database, completion in
                database.read(snapshot: false, question) { (found: Result<Value, any Error>) in
                    completion(found.map { $0 as any Sendable })
                }
            }
        }
        guard let value = try answers[number].get() as? Value else { throw HTTPError.unanswered }
        return value
    }

    fileprivate func adding(_ answer: Answer) -> Lookups { Lookups(answers + [answer]) }
}

extension Services {
    /// Asks the database something while a request is read: at once where the data is local; elsewhere the connection is
    /// suspended for it.
    ///
    /// - Parameters:
    ///   - presumed: the answer where nothing can be waited for.
    ///   - question: a closure with a single statement.
    /// - Throws: what the closure throws; what suspends the request, which has to be passed on.
    func lookUp<Value: Sendable>(
        presuming presumed: Value? = nil,
        _ question: @escaping @Sendable (Transaction) throws -> Value
    ) throws -> Value {
        if database.isLocal { return try database.readNow(snapshot: false, question) }
        if let lookups = Lookups.current { return try lookups.answer(question) }
        if let presumed { return presumed }
        // A handler that was not made to look things up would hold up the thread that serves connections.
        throw HTTPError.unanswered
    }

    /// A handler that may look things up.
    func lookingUp(_ handler: @escaping Handler) -> Handler {
        if database.isLocal { return handler }
        return { request in try self.run(handler, request, Lookups()) }
    }

    private func run(_ handler: @escaping Handler, _ request: Request, _ lookups: Lookups) throws -> Handling {
        do {
            return try Lookups.$current.withValue(lookups) { try handler(request) }
        } catch let awaited as Lookups.Awaits {
            return .suspended { resumption in
                awaited.ask(self.database) { answer in
                    resumption.proceed { try self.run(handler, request, lookups.adding(answer)) }
                }
            }
        }
    }
}
