/// The result of a sign-in or a link.
public struct AuthResult: Sendable, Equatable {
    /// The user who is signed in now.
    public let user: User
    /// Whether this call created the user.
    public let isNewUser: Bool
    /// Whether the call added the address or identity to an existing user, who keeps the UID: the user who was signed
    /// in before, or the anonymous user of a ticket.
    public let isLinked: Bool
    /// What was moved, if an anonymous user was merged into ``user``; `nil` without a merge.
    public let mergeReport: MergeReport?

    package init(user: User, isNewUser: Bool, isLinked: Bool, mergeReport: MergeReport? = nil) {
        self.user = user
        self.isNewUser = isNewUser
        self.isLinked = isLinked
        self.mergeReport = mergeReport
    }

    /// Which of the four outcomes the result is: merged, linked, signed up or signed in.
    public var outcome: SignInOutcome {
        if let mergeReport { return .merged(user, mergeReport) }
        if isLinked { return .linked(user) }
        return isNewUser ? .signedUp(user) : .signedIn(user)
    }
}

/// The outcome of proving an e-mail address or an identity of a provider.
public enum SignInOutcome: Sendable, Equatable {
    /// The address or identity was new. The signed-in user has it now, with the same UID.
    case linked(User)
    /// The address or identity had an account. All data of the anonymous user moved there, and the anonymous user was
    /// deleted.
    case merged(User, MergeReport)
    /// The address or identity had an account, and there was no anonymous user to keep.
    case signedIn(User)
    /// The address or identity was new, and there was no anonymous user to keep. An account was created.
    case signedUp(User)

    /// The user who is signed in now.
    public var user: User {
        switch self {
        case .linked(let user), .merged(let user, _), .signedIn(let user), .signedUp(let user): user
        }
    }
}
