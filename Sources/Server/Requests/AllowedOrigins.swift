internal import Accounts

/// The origins that a continue URL may have: the app's URL to which an e-mail link redirects, with the code of a
/// sign-in, or after any other action.
package struct AllowedOrigins: Sendable {
    private let entries: [Origin]
    private let isDevelopment: Bool

    /// Allows the configured origins.
    ///
    /// Without any, production allows only the public URL's origin; development allows all. Configured http origins are
    /// allowed only in development and on this machine.
    package init(_ configuration: Configuration) {
        isDevelopment = configuration.mode == .development
        var texts = configuration.allowedOrigins
        if texts.isEmpty, !isDevelopment, let publicURL = configuration.publicURL { texts = [publicURL] }
        entries = texts.compactMap { Origin($0) }
    }

    /// Checks a continue URL.
    ///
    /// - Returns: the URL without its fragment.
    /// - Throws: ``Refusal`` INVALID_CONTINUE_URI for a text without a scheme or a URL that carries an action code,
    ///   UNAUTHORIZED_DOMAIN for an origin that is not allowed or cannot be parsed.
    package func check(_ url: String) throws -> String {
        guard let scheme = url.firstIndex(of: ":"), scheme != url.startIndex else {
            throw Refusal(.invalidContinueURI, detail: "continueUrl must be an absolute URL.")
        }
        guard let (origin, rest) = Origin.parse(url) else {
            throw Refusal(.unauthorizedDomain, detail: "continueUrl must begin with an origin of allowedOrigins.")
        }
        guard allows(origin) else { throw Refusal(.unauthorizedDomain, detail: refusal(of: origin)) }
        guard !ContinueURL.carriesActionCode(url) else {
            throw Refusal(.invalidContinueURI, detail: "continueUrl must not carry oobCode.")
        }
        let path = rest.prefix { $0 != "#" }
        return String(url.prefix(url.count - rest.count)) + path
    }

    /// The text for the developer of an app that names an origin which is not allowed.
    private func refusal(of origin: Origin) -> String {
        let text = String(origin.text.prefix(200))
        if origin.scheme == "http", !isDevelopment { return "continueUrl must use https, and \(text) does not." }
        return "\(text) is not among the server's allowedOrigins."
    }

    private func allows(_ origin: Origin) -> Bool {
        if entries.isEmpty { return isDevelopment }
        guard origin.scheme == "https" || isDevelopment && origin.isLoopback else { return false }
        return entries.contains { entry in
            guard entry.scheme == origin.scheme, entry.host == origin.host else { return false }
            if entry.port == nil, isDevelopment, origin.isLoopback { return true }
            return entry.effectivePort == origin.effectivePort
        }
    }
}
