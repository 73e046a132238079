/// The events that hooks receive, by their public names.
package enum HookEvent: String, Sendable, CaseIterable {
    case userCreated = "user.created"
    /// A sign-in linked an address or identity to the signed-in user, a guest signed in with a custom token, or an
    /// administrator gave a user another address or a guest an identity or a verified address.
    case userLinked = "user.linked"
    /// A user was deleted with all data; guests who were merged into another user do not count.
    case userDeleted = "user.deleted"
    /// An imported user was given a session in exchange for a session in the system that they were imported from.
    case userExchanged = "user.exchanged"
    /// The owner of an account's old address objects to a takeover; the account is disabled until an operator resolves
    /// the contest.
    case userContested = "user.contested"
    /// The question before a merge, which happens only if every hook that is asked answers 2xx.
    case mergePrepare = "merge.prepare"
    /// The merge happened; sent to every hook that was asked.
    case mergeCommit = "merge.commit"
    /// The merge did not happen; sent to every hook that was asked.
    case mergeCancel = "merge.cancel"

    /// The events that a hook may subscribe to; hooks that are asked about merges always receive the outcome.
    package static let subscribable: [HookEvent] = [
        .userCreated, .userLinked, .userDeleted, .userExchanged, .userContested, .mergePrepare,
    ]
}

/// The events that a configured hook subscribes to.
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
    /// The id by which receivers detect repetitions; the same in every attempt.
    package let id: String
    package let event: HookEvent
    package let hook: String
    /// The id of the merge that the message is about; `nil` for events about one user.
    package let merge: String?
    /// The body as sent and signed: JSON without any address.
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
