internal import Accounts

/// The result of decoding the request of an ``AwaitingEndpoint``.
enum Decoded<Input: Sendable>: Sendable {
    case complete(Input)
    /// The input depends on something that must be fetched first; the closure fetches it and completes the input.
    case awaiting(@Sendable () async throws -> Input)
    /// The call is refused. If its ID token is refused as well, such as because its session has ended, that refusal is
    /// reported instead (contract, 3.3).
    case refused(Refusal, after: PresentedToken)

    /// Decodes the part of a request that stands beside an ID token.
    ///
    /// A refusal by `step` becomes ``refused(_:after:)`` if there is an ID token.
    ///
    /// - Parameters:
    ///   - token: the ID token, verified except against the database; `nil` without one.
    ///   - step: decodes the input.
    /// - Throws: what `step` throws, except a refusal if there is an ID token.
    static func after(_ token: PresentedToken?, _ step: () throws -> Input) throws -> Decoded {
        do { return .complete(try step()) } catch let refusal as Refusal {
            guard let token else { throw refusal }
            return .refused(refusal, after: token)
        }
    }

    /// Makes another input from this one with a closure, at once or when this input has been fetched; a refused call
    /// stays refused.
    func map<Other>(_ step: @escaping @Sendable (Input) throws -> Other) throws -> Decoded<Other> {
        switch self {
        case .complete(let input): .complete(try step(input))
        case .awaiting(let rest): .awaiting { try step(try await rest()) }
        case .refused(let refusal, let token): .refused(refusal, after: token)
        }
    }
}
