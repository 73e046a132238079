internal import Accounts
internal import HTTPServer

/// The texts about the server for search engines and for people who have found a vulnerability.
extension Services {
    /// Adds `/robots.txt`, and `/.well-known/security.txt`, which answers 404 if the configuration names no contact.
    func addTextFiles(to router: inout Router) {
        let robots: Handler = { _ in .response(Self.robots(allowed: self.configuration.allowsRobots)) }
        router.add(.get, "/robots.txt", cors: false, guarded(robots))
        let contacts: Handler = { _ in
            guard !self.configuration.securityContacts.isEmpty else { throw RequestError.notFound }
            return .response(self.securityTxt())
        }
        router.add(.get, "/.well-known/security.txt", cors: false, guarded(contacts))
    }

    /// The file for crawlers (RFC 9309).
    ///
    /// Even where it allows them, pages of e-mail links ask not to be indexed.
    private static func robots(allowed: Bool) -> Response {
        var response = Response.text(status: 200, "User-agent: *\nDisallow:\(allowed ? "" : " /")\n")
        response.headers.append((name: "Cache-Control", value: "public, max-age=3600"))
        return response
    }

    /// The time for which the file says that it is valid: RFC 9116 recommends less than a year.
    private static let securityTxtLife: Int64 = 180 * 86_400_000

    /// The contacts for reports of vulnerabilities (RFC 9116).
    private func securityTxt() -> Response {
        var lines = configuration.securityContacts.map { "Contact: \($0)" }
        lines.append("Expires: \(Timestamp.rfc3339(milliseconds: clock() + Self.securityTxtLife))")
        if let policy = configuration.securityPolicyURL { lines.append("Policy: \(policy)") }
        lines.append("Canonical: \(publicURL)/.well-known/security.txt")
        var response = Response.text(status: 200, lines.joined(separator: "\n") + "\n")
        response.headers.append((name: "Cache-Control", value: "public, max-age=3600"))
        return response
    }
}
