import Database
import Foundation

@testable import Accounts
@testable import Server

/// A call of a client, or a step of background work, with all of its input.
///
/// It can be run any number of times, on any node and engine.
struct Operation: Sendable {
    /// How the database runs the operation.
    enum Mode: Sendable {
        case reads(snapshot: Bool)
        case writes(Isolation, alone: Bool)
        case leases
    }

    let name: String
    /// Chosen by the endpoint, as in production.
    let mode: @Sendable (Services) -> Mode
    let run: @Sendable (Services, Transaction) throws -> Answer
    /// The operation to run in place of this one, after this one violated a constraint; `nil` if the violation stands.
    let second: @Sendable (Services) throws -> Operation?
    /// How the operation shares a transaction with others of its name; `nil` if it does not.
    var sharing: @Sendable (Services) -> Sharing? = { _ in nil }

    /// How operations of one name share a transaction.
    struct Sharing: Sendable {
        /// What the operation may have to wait for when it runs alone.
        let key: String
        let input: any Sendable
        /// Runs the operations that have these inputs.
        let run: @Sendable ([any Sendable], Transaction) throws -> [SharedOutcome<Answer>]
    }
}

/// The answer of an operation.
struct Answer: Sendable {
    /// All of the answer, for comparison.
    let text: String
    /// What clients learn from it.
    let lessons: [Lesson]
    /// The secrets that the operation used up.
    var spent: [String] = []
}

/// Thrown by an operation that has its answer and must be rolled back.
struct RolledBackAnswer: Error {
    let answer: Answer
}

extension Operation {
    /// Makes the operation of an endpoint that writes.
    ///
    /// - Parameters:
    ///   - name: the name in reports.
    ///   - input: the decoded call.
    ///   - endpoint: makes the endpoint of a node.
    ///   - fields: the fields of the outcome that are not compared, because the client does not see them.
    ///   - learn: returns what clients learn from an outcome, and the secrets that it used up.
    init<Changing: ChangingEndpoint>(
        _ name: String,
        _ input: Changing.Input,
        _ endpoint: @escaping @Sendable (Services) -> Changing,
        ignoring fields: [String] = [],
        learn: @escaping @Sendable (Changing.Outcome) -> (lessons: [Lesson], spent: [String]) = { _ in ([], []) }
    ) {
        let answer: @Sendable (Changing.Outcome) -> Answer = { outcome in
            let learned = learn(outcome)
            return Answer(text: Self.text(outcome, without: fields), lessons: learned.lessons, spent: learned.spent)
        }
        self.init(name: name) { services in
            let endpoint = endpoint(services)
            return .writes(endpoint.isolation(input), alone: endpoint.runsAlone(input))
        } run: { services, transaction in
            do {
                return answer(try endpoint(services).transact(input, in: transaction))
            } catch let rolledBack as RolledBack<Changing.Outcome> {
                throw RolledBackAnswer(answer: Answer(text: "\(rolledBack.outcome)", lessons: []))
            }
        } second: { services in
            try endpoint(services).inputAfterConstraint(input).map { input in
                Operation(name, input, endpoint, ignoring: fields, learn: learn)
            }
        } sharing: { services in
            let endpoint = endpoint(services)
            return endpoint.sharedKey(input).map { key in
                Sharing(key: key, input: input) { inputs, transaction in
                    let inputs = inputs.compactMap { $0 as? Changing.Input }
                    return try endpoint.transact(inputs, in: transaction).map { outcome in
                        switch outcome {
                        case .answered(let result): .answered(result.map(answer))
                        case .postponed: .postponed
                        }
                    }
                }
            }
        }
    }

    private static func text<Outcome>(_ outcome: Outcome, without fields: [String]) -> String {
        fields.reduce("\(outcome)") { text, field in
            text.replacingOccurrences(of: "\(field): [^,]+, ", with: "", options: .regularExpression)
        }
    }

    /// Makes the operation of an endpoint that reads.
    init<Reading: ReadingEndpoint>(
        _ name: String,
        _ input: Reading.Input,
        _ endpoint: @escaping @Sendable (Services) -> Reading
    ) {
        self.init(name: name) { _ in
            .reads(snapshot: Reading.needsSnapshot)
        } run: { services, transaction in
            Answer(text: "\(try endpoint(services).transact(input, in: transaction))", lessons: [])
        } second: { _ in
            nil
        }
    }

    /// Makes an operation of a flow that no endpoint runs.
    init<Outcome>(
        _ name: String,
        _ mode: Mode = .writes(.serializable, alone: false),
        lessons: [Lesson] = [],
        _ run: @escaping @Sendable (AccountFlows, Transaction) throws -> Outcome
    ) {
        self.init(name: name) { _ in
            mode
        } run: { services, transaction in
            Answer(text: "\(try run(services.flows, transaction))", lessons: lessons)
        } second: { _ in
            nil
        }
    }
}
