/// What hooks hear of, by the names that they see.
package enum HookEvent: String, Sendable, CaseIterable {
    case userCreated = "user.created"
    /// A user was given their first credential, or another address.
    case userLinked = "user.linked"
    /// A user is gone, and nobody has what was theirs; one who was merged away is no such user.
    case userDeleted = "user.deleted"
    /// An imported user was given a session for the one where they came from.
    case userExchanged = "user.exchanged"
    /// The owner of an account's old address objects to a takeover; the account is disabled until an operator resolves it.
    case userContested = "user.contested"
    /// The question before a merge: only a 2xx lets it happen.
    case mergePrepare = "merge.prepare"
    /// The outcome for everyone who was asked: it happened.
    case mergeCommit = "merge.commit"
    /// The outcome for everyone who was asked: it did not happen.
    case mergeCancel = "merge.cancel"

    /// What a hook may ask for; who is asked about merges is always told the outcome.
    package static let subscribable: [HookEvent] = [
        .userCreated, .userLinked, .userDeleted, .userExchanged, .userContested, .mergePrepare,
    ]
}

/// What a configured hook wants to hear of.
package struct HookSubscription: Sendable, Equatable {
    /// The hook's name in the configuration.
    package let hook: String
    package let events: Set<HookEvent>

    /// Makes a subscription.
    package init(hook: String, events: Set<HookEvent>) {
        self.hook = hook
        self.events = events
    }
}

/// A message to one hook.
package struct HookMessage: Sendable, Equatable {
    /// What receivers tell repetitions by; the same in every attempt.
    package let id: String
    package let event: HookEvent
    package let hook: String
    /// The merge that it is about.
    package let merge: String?
    /// The body, as it is sent and signed: JSON without any address.
    package let payload: String

    /// Makes a message from its parts.
    package init(id: String, event: HookEvent, hook: String, merge: String?, payload: String) {
        self.id = id
        self.event = event
        self.hook = hook
        self.merge = merge
        self.payload = payload
    }
}
