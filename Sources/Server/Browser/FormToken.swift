internal import Accounts
internal import HTTPServer
internal import Tokens

/// The token in each form of the server's own pages, which proves that this server made the form for this browser.
///
/// It is a keyed hash of the id in the browser's cookie, so that nothing is stored, and a page of another site can
/// neither read nor compute it.
enum FormToken {
    /// The name of the form's field.
    static let field = "formToken"

    /// Returns the token of a browser.
    ///
    /// - Parameter cookie: the id in the cookie that the form is bound to.
    static func make(for cookie: TokenID, secrets: ServerSecrets) throws -> String {
        try KeyedHash.make(cookie.text, purpose: "form", secrets: secrets)
    }
}

extension Services {
    /// Refuses a form that another site may have sent, or that this server made for another browser or cookie.
    ///
    /// Browsers say in `Sec-Fetch-Site` which site sent a form. Those that say nothing send `Origin`.
    ///
    /// - Parameters:
    ///   - form: the form.
    ///   - cookie: the id in the cookie that the form is bound to; `nil` without a valid cookie.
    ///   - request: the request.
    /// - Throws: ``Refusal`` ORIGIN_NOT_ALLOWED.
    func check(_ form: FormBody, boundTo cookie: TokenID?, _ request: Request) throws {
        let site = request.header("Sec-Fetch-Site") ?? "none"
        guard ["same-origin", "none"].contains(site), !hasForeignOrigin(request), let cookie,
            let token = form[FormToken.field], token.utf8.count <= 64,
            try KeyedHash.verify(token, of: cookie.text, purpose: "form", secrets: secrets)
        else { throw Refusal(.originNotAllowed) }
    }

    /// Whether a form names an origin other than that of its page.
    ///
    /// Pages that send no referrer send the origin `null`. The console's pages send their own, also in development and
    /// on the admin listener, where the checked `Host` says which that is.
    private func hasForeignOrigin(_ request: Request) -> Bool {
        let origins = request.headers("Origin")
        guard ConsolePath.contains(request.path) else {
            return configuration.mode == .production
                && origins.contains { $0 != "null" && $0 != WebOrigin(publicURL)?.text }
        }
        let isLocal = configuration.mode == .development || request.listener == .admin
        let scheme = request.listener == .main && configuration.tls != nil ? "https" : "http"
        let own = isLocal ? "\(scheme)://\(request.host.lowercased())" : WebOrigin(publicURL)?.text
        return origins.contains { $0 != own }
    }
}
