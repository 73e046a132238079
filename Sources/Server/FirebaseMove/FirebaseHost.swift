/// The hosts that a move from Firebase asks; there are no others.
enum FirebaseHost: String, CaseIterable {
    case identityToolkit = "identitytoolkit.googleapis.com"
    case tokens = "securetoken.googleapis.com"
    /// The host of the keys that sign every project's tokens.
    case keys = "www.googleapis.com"

    /// Returns the URL of a path and query on the host.
    ///
    /// - Parameter upstream: the setting `firebase.upstream`, which replaces the hosts in development; `nil` for Google's
    ///   own, by https.
    func url(_ path: String, upstream: String?) -> String { "\(upstream ?? "https:/")/\(rawValue)\(path)" }
}
