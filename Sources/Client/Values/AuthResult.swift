/// What came of a sign-in or a link.
public struct AuthResult: Sendable, Equatable {
    /// The user who is signed in now.
    public let user: User
    /// Whether the user was made by this call.
    public let isNewUser: Bool
    /// Whether the anonymous user who was signed in before got the address and goes on under the same UID.
    public let isLinked: Bool
    /// What moved, when the anonymous user who was signed in before was merged into this one.
    public let mergeReport: MergeReport?

    package init(user: User, isNewUser: Bool, isLinked: Bool, mergeReport: MergeReport? = nil) {
        self.user = user
        self.isNewUser = isNewUser
        self.isLinked = isLinked
        self.mergeReport = mergeReport
    }

    /// Which of the things that can happen has happened.
    public var outcome: SignInOutcome {
        if let mergeReport { return .merged(user, mergeReport) }
        if isLinked { return .linked(user) }
        return isNewUser ? .signedUp(user) : .signedIn(user)
    }
}

/// What happened when somebody proved an address.
public enum SignInOutcome: Sendable, Equatable {
    /// The address was new: the user who was signed in has it now, under the same UID.
    case linked(User)
    /// The address had an account: all that the anonymous user had moved there, and the anonymous user is gone.
    case merged(User, MergeReport)
    /// The address had an account, and there was no anonymous user to keep.
    case signedIn(User)
    /// The address was new, and there was no anonymous user to keep: an account was made.
    case signedUp(User)

    /// The user who is signed in now.
    public var user: User {
        switch self {
        case .linked(let user), .merged(let user, _), .signedIn(let user), .signedUp(let user): user
        }
    }
}
