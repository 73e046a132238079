package import Tokens

/// A request that the rules turn down: a stable code, and what to add for the person who reads it.
///
/// Nothing in it is secret, so it may be shown to the client as it stands.
package struct Refusal: Error, Sendable, Equatable {
    /// The stable code, for programs.
    package let code: Code
    /// What follows the code on the wire after ` : `, for people; `nil` where clients expect the bare code.
    package let detail: String?
    /// Seconds after which the same request may succeed.
    package let retryAfter: Int?
    /// The proof of work with which the same request may succeed.
    package let challenge: Challenge?
    /// The name of the limit that refused, for the log and never for the client: its setting, such as `limits.guestsPerClient`.
    ///
    /// A constant, because the log keeps a counter for each name.
    package let limit: String?
    /// Whether the request presented something with a good signature, so that it is no guess.
    package private(set) var isOfValid = false
    /// Whether the session that the call presented has a successor that the client may learn of in a moment.
    package private(set) var isOfReplacedSession = false

    /// Makes a refusal with the detail that its code usually carries.
    package init(
        _ code: Code,
        detail: String? = nil,
        retryAfter: Int? = nil,
        limit: String? = nil,
        challenge: Challenge? = nil
    ) {
        self.code = code
        self.detail = detail ?? code.usualDetail
        self.retryAfter = retryAfter
        self.limit = limit
        self.challenge = challenge
    }

    /// Compares what the client sees.
    package static func == (one: Refusal, other: Refusal) -> Bool {
        one.code == other.code && one.detail == other.detail && one.retryAfter == other.retryAfter
            && one.challenge == other.challenge
    }

    /// The same refusal of something with a good signature.
    package func ofValid() -> Refusal {
        var refusal = self
        refusal.isOfValid = true
        return refusal
    }

    /// Runs a step that judges something whose signature is good, and marks its refusals as no guesses.
    package static func ofValid<Value>(_ step: () throws -> Value) throws -> Value {
        do { return try step() } catch let refusal as Refusal { throw refusal.ofValid() }
    }

    /// Makes the refusal of a session that cannot be used.
    init(_ code: Code, session: Session, at now: Int64) {
        self.init(code)
        isOfReplacedSession = session.wasReplaced(at: now)
    }
}

/// What a flow decided where even a refusal has something to keep, such as a counted wrong guess.
///
/// A thrown ``Refusal`` rolls its transaction back; a returned one commits with it.
package enum Decision<Outcome: Sendable>: Sendable {
    case done(Outcome)
    case refused(Refusal)

    /// The outcome.
    ///
    /// - Throws: the refusal.
    package func get() throws -> Outcome {
        switch self {
        case .done(let outcome): outcome
        case .refused(let refusal): throw refusal
        }
    }
}
