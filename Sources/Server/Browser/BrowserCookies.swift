internal import HTTPServer

/// The cookies of the server's own pages.
enum BrowserCookie: String {
    /// The browser session of the account page (`BrowserSessionToken`).
    case account = "latchkey-account"
    /// A sign-in on the account page, from the first page to the e-mail's code or link (`TicketToken`).
    case accountSignIn = "latchkey-account-sign-in"
    /// The session of the console (`BrowserSessionToken`).
    case console = "latchkey-console"
    /// A sign-in on the console, from the first page to the e-mail's code or link (`TicketToken`).
    case consoleSignIn = "latchkey-console-sign-in"

    /// The value of `SameSite`: `Lax` lets a link of another site, such as that of an e-mail, send the cookie.
    ///
    /// The console's session is for its own pages only.
    fileprivate var sameSite: String { self == .console ? "Strict" : "Lax" }
}

/// Reads and writes cookies that only the server's own pages get, and that scripts cannot read.
///
/// A browser sends them with a link from another site, but not with a form or a script of one (`SameSite=Lax`); the
/// console's session with neither (`SameSite=Strict`). Over
/// https their names begin with `__Host-`, so that neither another host of the domain nor a page over http can set them
/// (RFC 6265bis, section 4.1.3). They have no `Max-Age`, because the server decides when a session is over.
struct BrowserCookies: Sendable {
    private let isSecure: Bool

    /// - Parameter publicURL: the URL at which browsers reach the server; http only on this machine.
    init(publicURL: String) {
        self.init(isSecure: publicURL.hasPrefix("https://"))
    }

    /// - Parameter isSecure: whether browsers reach the page over https.
    init(isSecure: Bool) { self.isSecure = isSecure }

    /// The value of a cookie in a request; `nil` without it, and for a name that occurs twice, because the browser then
    /// got one of the two from elsewhere.
    func value(of cookie: BrowserCookie, in request: Request) -> String? {
        let name = name(of: cookie)
        let values = request.headers("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { return nil }
            return String(parts[1])
        }
        return values.count == 1 ? values[0] : nil
    }

    /// The header field that sets a cookie.
    ///
    /// - Parameters:
    ///   - cookie: the cookie.
    ///   - value: letters, digits, `-` and `_`.
    func set(_ cookie: BrowserCookie, to value: String) -> (name: String, value: String) {
        ("Set-Cookie", "\(name(of: cookie))=\(value)\(attributes(of: cookie))")
    }

    /// The header field that deletes a cookie.
    func clear(_ cookie: BrowserCookie) -> (name: String, value: String) {
        ("Set-Cookie", "\(name(of: cookie))=\(attributes(of: cookie)); Max-Age=0")
    }

    private func name(of cookie: BrowserCookie) -> String {
        (isSecure ? "__Host-" : "") + cookie.rawValue
    }

    private func attributes(of cookie: BrowserCookie) -> String {
        "; Path=/; HttpOnly; SameSite=\(cookie.sameSite)" + (isSecure ? "; Secure" : "")
    }
}
