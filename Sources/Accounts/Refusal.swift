package import Tokens

/// A request that the rules refuse: a stable code, and a detail for people.
///
/// Code and detail contain nothing secret, so the client may see them as they are.
package struct Refusal: Error, Sendable, Equatable {
    /// The stable code, for programs.
    package let code: Code
    /// The text that follows the code on the wire after ` : `, for people; `nil` to send the bare code.
    package let detail: String?
    /// The number of seconds after which the same request may succeed; `nil` if waiting does not help or the time is
    /// unknown.
    package let retryAfter: Int?
    /// The proof of work with which the same request may succeed; `nil` if none is required.
    package let challenge: Challenge?
    /// The JSON text of the ``MergeReport`` of a dry run; `nil` unless ``OnConflict/report`` asked for it.
    package let mergeReport: String?
    /// The name of the limit that refused, for the log and never for the client: its setting, such as
    /// `limits.guestsPerClient`, or a name of its own, such as `denials`; `nil` if no limit refused or the limit has no
    /// name.
    ///
    /// A constant, because the log keeps a counter for each name.
    package let limit: String?
    /// Whether the request presented something with a valid signature, so that it is not a guess.
    package private(set) var isOfValid = false
    /// Whether the call presented a session that linking or merging ended less than a minute ago, so that the client
    /// may already have a new one.
    package private(set) var isOfReplacedSession = false

    /// Makes a refusal; without a detail it gets the usual one of its code.
    package init(
        _ code: Code,
        detail: String? = nil,
        retryAfter: Int? = nil,
        limit: String? = nil,
        challenge: Challenge? = nil,
        mergeReport: String? = nil
    ) {
        self.code = code
        self.detail = detail ?? code.usualDetail
        self.retryAfter = retryAfter
        self.limit = limit
        self.challenge = challenge
        self.mergeReport = mergeReport
    }

    /// Compares the parts that the client sees.
    package static func == (one: Refusal, other: Refusal) -> Bool {
        one.code == other.code && one.detail == other.detail && one.retryAfter == other.retryAfter
            && one.challenge == other.challenge && one.mergeReport == other.mergeReport
    }

    /// Returns the same refusal with ``isOfValid`` set.
    package func ofValid() -> Refusal {
        var refusal = self
        refusal.isOfValid = true
        return refusal
    }

    /// Runs a step that checks something with a valid signature, and marks the refusal that it throws, if any, with
    /// ``isOfValid``.
    package static func ofValid<Value>(_ step: () throws -> Value) throws -> Value {
        do { return try step() } catch let refusal as Refusal { throw refusal.ofValid() }
    }

    /// The refusal of a password, and of everything that is about one.
    package static let noPasswords = Refusal(
        .operationNotAllowed,
        detail: "There are no passwords here; use sign-in links, identity providers or custom tokens."
    )

    /// The refusal of sign-in by e-mail while it is switched off.
    package static let emailSignInIsOff = Refusal(
        .operationNotAllowed,
        detail: "Sign-in by e-mail is switched off (setting signIn.emailLink)."
    )

    /// Makes the refusal of a session that cannot be used, and sets ``isOfReplacedSession``.
    init(_ code: Code, session: Session, at now: Int64) {
        self.init(code)
        isOfReplacedSession = session.wasReplaced(at: now)
    }
}

/// The decision of a flow whose refusals may have something to keep, such as a counted wrong guess.
///
/// A thrown ``Refusal`` rolls its transaction back; a returned one commits with it.
package enum Decision<Outcome: Sendable>: Sendable {
    case done(Outcome)
    case refused(Refusal)

    /// Returns the outcome.
    ///
    /// - Throws: the refusal.
    package func get() throws -> Outcome {
        switch self {
        case .done(let outcome): outcome
        case .refused(let refusal): throw refusal
        }
    }
}
