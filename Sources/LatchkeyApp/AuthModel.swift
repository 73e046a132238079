public import LatchkeyClient
public import Observation

/// The sign-in state of an `Auth` object, for views that observe it.
///
/// ```swift
/// struct AccountView: View {
///     @State private var model: AuthModel
///
///     var body: some View {
///         switch model.state {
///         case .noUser: ProgressView()
///         case .anonymous: SignInView(auth: model.auth)
///         case .authenticated(let user): Text(user.email ?? user.uid)
///         }
///     }
/// }
/// ```
///
/// The model follows changes of other tasks and of the server too. It ends with its last reference.
@MainActor @Observable public final class AuthModel {
    /// The object whose state this is.
    @ObservationIgnored public let auth: Auth
    /// Whether no user, an anonymous user or another user is signed in.
    public private(set) var state: AuthState
    @ObservationIgnored private var following: Task<Void, Never>?

    /// The user who is signed in; `nil` without one.
    public var user: User? { state.user }

    /// Follows an object's state.
    public init(_ auth: Auth) {
        self.auth = auth
        state = auth.state
        let states = auth.states()
        following = Task { [weak self] in
            for await state in states { self?.follow(state) }
        }
    }

    deinit {
        following?.cancel()
    }

    private func follow(_ state: AuthState) {
        // A view need not be drawn again for the state that it shows.
        if self.state != state { self.state = state }
    }
}
