/// Whether a user is signed in, and of which kind.
public enum AuthState: Sendable, Equatable {
    /// No user is signed in.
    case noUser
    /// An anonymous user is signed in.
    case anonymous(User)
    /// A user who is not anonymous is signed in.
    case authenticated(User)

    /// The signed-in user; `nil` if there is none.
    public var user: User? {
        switch self {
        case .noUser: nil
        case .anonymous(let user), .authenticated(let user): user
        }
    }

    init(_ user: User?) {
        self =
            switch user {
            case nil: .noUser
            case let user? where user.isAnonymous: .anonymous(user)
            case let user?: .authenticated(user)
            }
    }
}

/// The result of signing out.
public struct SignOutResult: Sendable, Equatable {
    /// Whether the user was anonymous and was therefore deleted, with all its data.
    public let wasReset: Bool
}

/// What to do when an anonymous user is about to get an address or identity that another user owns.
public enum ConflictPolicy: String, Sendable {
    /// Fail with ``AuthError/Code/emailAlreadyInUse`` or ``AuthError/Code/credentialAlreadyInUse``, and change nothing.
    case error
    /// Fail as ``error`` does, and tell in ``AuthError/mergeReport`` what ``merge`` would do.
    ///
    /// The server counts such a failure as a dry run.
    case report
    /// Move the anonymous user's data to the owner of the address or identity, and sign in as the owner.
    case merge
}
