/// Who is signed in.
public enum AuthState: Sendable, Equatable {
    /// Nobody.
    case noUser
    /// An anonymous user.
    case anonymous(User)
    /// A user with a lasting way to sign in.
    case authenticated(User)

    /// The user, if there is one.
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

/// What came of signing out.
public struct SignOutResult: Sendable, Equatable {
    /// Whether the user was anonymous and is therefore deleted, with all that belonged to it.
    public let wasReset: Bool
}

/// What to do when an anonymous user is about to get an address that another user owns.
public enum ConflictPolicy: String, Sendable {
    /// Fail with ``AuthError/Code/emailAlreadyInUse`` and change nothing.
    case error
    /// Move what belongs to the anonymous user to the owner of the address, and sign in as that one.
    case merge
}
