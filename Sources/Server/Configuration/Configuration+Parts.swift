internal import HTTPServer
internal import Network
internal import Transfer

extension Configuration {
    /// `iss` of ID tokens: what Firebase's Admin SDKs insist on in development, ourselves in production.
    var tokenIssuer: String {
        if let issuer { return issuer }
        guard mode == .production, let publicURL else { return "https://securetoken.google.com/\(projectID)" }
        return publicURL
    }

    /// What the issuer of session cookies begins with, whatever the project (contract, 3.15).
    static let cookieIssuers = "https://session.firebase.google.com/"

    /// The trusted proxies; ``http()`` refuses a text that is no range.
    var trustedRanges: [AddressRange] { trustedProxies.compactMap { AddressRange($0) } }

    /// How the HTTP server runs.
    ///
    /// - Throws: ``StartError`` or ``ConfigurationError`` for an address that is none.
    func http() throws -> HTTPConfiguration {
        guard let address = ListenAddress(listen) else { throw StartError.invalidAddress(setting: "listen", listen) }
        var http = HTTPConfiguration(listen: address)
        http.tls = tls.map { HTTPConfiguration.TLS(certificateFile: $0.certificate, keyFile: $0.key) }
        http.threads = threads
        http.maximumConnections = connections
        http.maximumConnectionsPerAddress = clientLimits.connections
        http.networkShares = clientLimits.networks
        http.maximumBodyWithoutBearer = 64 << 10
        http.defaultHeaders = defaultHeaders
        // A listener that is slow reads on from the database; 10 000 of them must not hold much.
        http.streamBuffer = 16 << 10
        http.trustedProxies = try trustedProxies.map { text in
            guard let range = AddressRange(text) else {
                throw ConfigurationError(problems: [
                    "trustedProxies: \(text) is no address or range; write it like 10.0.0.0/8"
                ])
            }
            return range
        }
        return http
    }

    /// Header fields of every answer that does not set them itself.
    ///
    /// Answers hold tokens and what belongs to users, so no cache keeps one that does not say so itself.
    private var defaultHeaders: [(name: String, value: String)] {
        var headers = [(name: "Cache-Control", value: "no-store")]
        // Also over plain HTTP: that is how a proxy that speaks TLS gets the field to pass on.
        if publicURL.flatMap(Origin.init)?.scheme == "https" {
            headers.append((name: "Strict-Transport-Security", value: "max-age=31536000"))
        }
        return headers
    }

    /// How many streams of changes there may be.
    var streamLimits: Places.Limits {
        var limits = Places.Limits(total: listeners, perClient: clientLimits.streams)
        if mode == .development { limits.perGuest = limits.perUser }
        limits.networks = clientLimits.networks
        limits.trustedProxies = trustedProxies.compactMap { AddressRange($0) }
        return limits
    }

    /// How the admin listener runs; `nil` where there is none.
    ///
    /// - Throws: ``StartError`` for an address that is none.
    func adminHTTP() throws -> HTTPConfiguration? {
        guard let adminListen else { return nil }
        guard let address = ListenAddress(adminListen), address.isLoopback else {
            throw StartError.invalidAddress(setting: "adminListen", adminListen)
        }
        var http = HTTPConfiguration(listen: address)
        http.name = .admin
        http.threads = 1
        http.maximumConnections = 256
        http.maximumConnectionsPerAddress = nil
        http.defaultHeaders = defaultHeaders
        return http
    }

    /// How mail leaves: through the configured server, or into the development mailbox.
    func smtp(mailbox: String?) throws -> SMTPConfiguration {
        guard let url = smtpURL ?? mailbox else {
            throw ConfigurationError(problems: ["smtpURL: there is no mail server to send through"])
        }
        do {
            var smtp = try SMTPConfiguration(url: url)
            if let smtpCertificates { smtp.caFile = smtpCertificates }
            return smtp
        } catch {
            throw ConfigurationError(problems: ["smtpURL: \(error.description)"])
        }
    }

    /// What a person who starts the server should know.
    ///
    /// - Parameter adminListener: where the admin listener turned out to be.
    func announcements(adminListener: String?) -> [String] {
        var lines = warnings.map { "Warning: \($0)" }
        if mode == .development {
            lines.append(
                "Development mode: everyone on this machine is an administrator. "
                    + "Set LATCHKEY_MODE=production before anybody else can reach it."
            )
        }
        if let adminListener {
            let who = adminListener.hasPrefix("unix:") ? "process of this user" : "process on this machine"
            lines.append("The admin listener is on \(adminListener): every \(who) is an administrator there.")
        }
        if clientLimits.challenge == .always {
            lines.append(
                "challenge is \"always\": every guest and every e-mail takes a proof of work. "
                    + "Firebase's SDKs cannot solve it, so their apps cannot sign up guests or ask for links."
            )
        }
        return lines
    }
}
