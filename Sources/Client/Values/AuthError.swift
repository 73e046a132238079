/// Why a call failed, with the code names that Firebase's SDKs use.
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
    /// The server's own code, for example `EMAIL_EXISTS`; `nil` when the failure did not come from the server.
    public let serverCode: String?
    /// More about it for a developer; never a token, code or link.
    public let detail: String?
    /// How long to wait before trying again, when the server said so (with ``Code/tooManyRequests``).
    public let retryAfter: Duration?
    /// What proved the address, with ``Code/emailAlreadyInUse`` and ``Code/credentialAlreadyInUse``: it is not used up.
    ///
    /// ``Auth/continue(with:onConflict:)`` goes on with it.
    public internal(set) var credential: EmailCredential?
    /// The proof of work with which the same call may succeed.
    var challenge: Challenge?
    /// The server may not have seen the request, or its answer was lost.
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

    /// A kind of failure.
    ///
    /// Open: codes of a newer server arrive as values without a name here.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name in Swift's spelling, for example `emailAlreadyInUse`.
        public let rawValue: String
        /// The name.
        public var description: String { rawValue }

        /// Makes a code from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }
}
