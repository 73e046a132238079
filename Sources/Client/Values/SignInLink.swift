/// A mailed link taken apart.
///
/// The parameters may stand on the link itself or on a URL nested in its parameters `link` or `deep_link_id`, as links
/// that went through an app-link service have them. Host and path do not matter.
public struct SignInLink: Sendable, Equatable {
    /// The action code.
    ///
    /// A secret.
    public let oobCode: String
    /// What the link is for: `signIn`, `verifyEmail`, …; `nil` for a bare code.
    public let mode: String?
    /// Where to go afterwards.
    public let continueURL: String?

    /// Reads a link, or a bare action code, as a person pastes it; `nil` when there is no action code in it.
    ///
    /// Space, angle brackets and quotes around it are dropped, and `&amp;` is read as `&`.
    ///
    /// - Parameter text: A link or a code.
    public init?(_ text: String) {
        let text = Self.unwrapped(text)
        guard !text.contains(":") && !text.contains("?") else {
            self.init(url: text, depth: 0)
            return
        }
        guard Self.isActionCode(text) else { return nil }
        self.init(oobCode: text, mode: nil, continueURL: nil)
    }

    /// Whether this link, or bare code, may sign somebody in.
    public var isForSignIn: Bool { mode == nil || mode == "signIn" }

    private init(oobCode: String, mode: String?, continueURL: String?) {
        self.oobCode = oobCode
        self.mode = mode
        self.continueURL = continueURL
    }

    private init?(url: String, depth: Int) {
        // An app-link service wraps a link once or twice; a link made to be deeper is not ours.
        guard depth < 4, url.utf8.count <= 8192 else { return nil }
        let parameters = QueryParameters(url: url)
        if let code = parameters["oobCode"] {
            guard Self.isActionCode(code), let mode = parameters["mode"] else { return nil }
            self.init(oobCode: code, mode: mode, continueURL: parameters["continueUrl"])
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

    /// Whether a text can be an action code: base64url, of a sensible length.
    ///
    /// The server decides whether it is one.
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
