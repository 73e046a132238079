/// An error of a call, with the code names of Firebase's SDKs.
///
/// ```swift
/// do {
///     try await auth.link(withEmail: email, link: link)
/// } catch {
///     switch error.code {
///     case .emailAlreadyInUse: offerToSignIn()
///     case .expiredActionCode, .invalidActionCode: offerANewLink()
///     default: show(error)
///     }
/// }
/// ```
public struct AuthError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, to switch over.
    public let code: Code
    /// The server's own code, for example `EMAIL_EXISTS`, or the answer's status if it has no code; `nil` if the error
    /// is not from the server.
    public let serverCode: String?
    /// Details for developers, never a token, code or link; `nil` without any.
    public let detail: String?
    /// How long to wait before a retry; `nil` if the server did not say so.
    public let retryAfter: Duration?
    /// The unused link or ticket of a call that failed with ``Code/emailAlreadyInUse`` or
    /// ``Code/credentialAlreadyInUse``; `nil` with other codes, and for calls with a ``ProviderCredential``.
    ///
    /// Pass it to ``Auth/continue(with:onConflict:)``.
    public internal(set) var credential: EmailCredential?
    /// What a merge would do, of a call that failed because of ``ConflictPolicy/report``; `nil` for other errors.
    public internal(set) var mergeReport: MergeReport?
    /// The proof of work with which the same call may succeed; `nil` if the server did not require one.
    var challenge: Challenge?
    /// Whether the same request may succeed later: no answer arrived, the answer was not a Latchkey server's, or its
    /// status is 500 or more.
    package let isTransient: Bool

    package init(
        _ code: Code,
        serverCode: String? = nil,
        detail: String? = nil,
        retryAfter: Duration? = nil,
        isTransient: Bool = false
    ) {
        self.code = code
        self.serverCode = serverCode
        self.detail = detail
        self.retryAfter = retryAfter
        self.isTransient = isTransient
    }

    /// The code, the server's code and the detail, on one line.
    public var description: String {
        var text = code.rawValue
        if let serverCode { text += " [\(serverCode)]" }
        if let detail { text += ": \(detail)" }
        return text
    }

    /// A kind of error.
    ///
    /// Codes of a newer server are values without a name here.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name in Swift's spelling, for example `emailAlreadyInUse`.
        public let rawValue: String
        /// The name.
        public var description: String { rawValue }

        /// Creates a code from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }
}
