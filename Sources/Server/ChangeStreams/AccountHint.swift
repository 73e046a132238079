/// A hint in a change stream that something about its user has changed: the client should look the user up.
///
/// Hints have no number and are not repeated. A client that missed one looks the user up when it connects again.
enum AccountHint: String, CaseIterable, Sendable {
    /// A guest got a sign-in method, which ended the stream's session.
    case linked
    /// A guest was merged into the user.
    case merged
    /// Another session of the user has ended.
    case sessionEnded
    /// The user's profile, address, username, providers or claims have changed.
    case updated
}
