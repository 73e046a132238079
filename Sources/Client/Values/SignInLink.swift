/// A parsed e-mail link.
///
/// The parameters may be in the link itself or in a URL nested in its parameters `link` or `deep_link_id`, as app-link
/// services do. Host and path are ignored.
public struct SignInLink: Sendable, Equatable {
    /// The action code.
    ///
    /// A secret.
    public let oobCode: String
    /// The link's purpose: `signIn`, `verifyEmail`, …; `nil` for a bare code.
    public let mode: String?
    /// The app's URL to open after the sign-in; `nil` without one.
    public let continueURL: String?
    /// The public ID of the request that the link belongs to; `nil` for a bare code and for links that carry none.
    ///
    /// The ID is not signed, so it can be exchanged. See ``Auth/isRequestedHere(_:)``.
    public let requestID: String?

    /// Parses a link or a bare action code, as a user pastes it; `nil` if it contains no action code, or is a link
    /// without a mode.
    ///
    /// Surrounding spaces, angle brackets and quotes are removed, and `&amp;` is read as `&`.
    ///
    /// - Parameter text: a link or a code.
    public init?(_ text: String) {
        let text = Self.unwrapped(text)
        guard !text.contains(":") && !text.contains("?") else {
            self.init(url: text, depth: 0)
            return
        }
        guard Self.isActionCode(text) else { return nil }
        self.init(oobCode: text, mode: nil, continueURL: nil, requestID: nil)
    }

    /// Whether this link, or bare code, may be used to sign in.
    public var isForSignIn: Bool { mode == nil || mode == "signIn" }

    /// Parses a link or a bare action code that is to be used to sign in.
    ///
    /// - Throws: ``AuthError/Code/invalidActionCode`` for any other text.
    static func forSignIn(_ text: String) throws(AuthError) -> Self {
        guard let link = Self(text) else {
            throw AuthError(.invalidActionCode, detail: "this link has no action code")
        }
        guard link.isForSignIn else {
            throw AuthError(.invalidActionCode, detail: "this link is not for signing in")
        }
        return link
    }

    private init(oobCode: String, mode: String?, continueURL: String?, requestID: String?) {
        self.oobCode = oobCode
        self.mode = mode
        self.continueURL = continueURL
        self.requestID = requestID
    }

    private init?(url: String, depth: Int) {
        // An app-link service nests a link once or twice. Deeper links are rejected.
        guard depth < 4, url.utf8.count <= 8192 else { return nil }
        let parameters = QueryParameters(url: url)
        if let code = parameters["oobCode"] {
            guard Self.isActionCode(code), let mode = parameters["mode"] else { return nil }
            self.init(
                oobCode: code,
                mode: mode,
                continueURL: parameters["continueUrl"],
                requestID: parameters["latchkeyRequestId"]
            )
            return
        }
        for name in ["deep_link_id", "link"] {
            if let nested = parameters[name], let link = Self(url: nested, depth: depth + 1) {
                self = link
                return
            }
        }
        return nil
    }

    /// Whether a text has the form of an action code: base64url, of a plausible length.
    ///
    /// The server verifies the code.
    static func isActionCode(_ text: String) -> Bool {
        (20...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func unwrapped(_ text: String) -> String {
        let wrapping: Set<Character> = ["<", ">", "\"", "'", "`", "\u{201C}", "\u{201D}"]
        var rest = text[...]
        while let first = rest.first, first.isWhitespace || wrapping.contains(first) { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace || wrapping.contains(last) { rest.removeLast() }
        return String(rest)
    }
}
