internal import HTTPServer
internal import Network
internal import Transfer

extension Configuration {
    /// The `iss` of ID tokens: that of the setting `issuer`, otherwise in production the public URL, and in development
    /// the one that Firebase's Admin SDKs require.
    var tokenIssuer: String {
        if let issuer { return issuer }
        guard mode == .production, let publicURL else { return "https://securetoken.google.com/\(projectID)" }
        return publicURL
    }

    /// The beginning of the issuer of session cookies, which the project's ID follows (contract, 3.15).
    static let cookieIssuers = "https://session.firebase.google.com/"

    /// The addresses of the trusted proxies, without entries that are not valid, which ``http()`` refuses.
    var trustedRanges: [AddressRange] { trustedProxies.compactMap { AddressRange($0) } }

    /// The settings of the public listener.
    ///
    /// - Throws: ``StartError`` or ``ConfigurationError`` for an invalid address.
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
        // A slow client continues from the database later, so 10 000 streams must not buffer much.
        http.streamBuffer = 16 << 10
        http.trustedProxies = try trustedProxies.map { text in
            guard let range = AddressRange(text) else {
                throw ConfigurationError(
                    "trustedProxies",
                    "\(text) is not an address or range; write it like 10.0.0.0/8"
                )
            }
            return range
        }
        return http
    }

    /// The header fields of every response that does not set them itself.
    ///
    /// Responses contain tokens and users' data, so caches may store only those that allow it explicitly.
    private var defaultHeaders: [(name: String, value: String)] {
        var headers = [(name: "Cache-Control", value: "no-store")]
        // Also over plain HTTP, because a proxy that terminates TLS passes the field on.
        if publicURL.flatMap(Origin.init)?.scheme == "https" {
            headers.append((name: "Strict-Transport-Security", value: "max-age=31536000"))
        }
        return headers
    }

    /// The limits of change streams, per user, guest, client and network, and in total.
    var streamLimits: StreamQuota.Limits {
        var limits = StreamQuota.Limits(total: listeners, perClient: clientLimits.streams)
        if mode == .development { limits.perGuest = limits.perUser }
        limits.networks = clientLimits.networks
        limits.trustedProxies = trustedProxies.compactMap { AddressRange($0) }
        return limits
    }

    /// The settings of the admin listener; `nil` without one.
    ///
    /// - Throws: ``StartError`` for an address that is invalid or no loopback address.
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

    /// The settings of the metrics listener; `nil` without one.
    ///
    /// - Throws: ``StartError`` for an invalid address.
    func metricsHTTP() throws -> HTTPConfiguration? {
        guard let metricsListen else { return nil }
        guard let address = ListenAddress(metricsListen) else {
            throw StartError.invalidAddress(setting: "metricsListen", metricsListen)
        }
        var http = HTTPConfiguration(listen: address)
        http.name = .metrics
        http.threads = 1
        http.maximumConnections = 64
        http.maximumConnectionsPerAddress = nil
        http.defaultHeaders = defaultHeaders
        return http
    }

    /// Returns the settings for sending e-mails: through the configured mail server, or without one to the development
    /// mailbox.
    ///
    /// - Parameter mailbox: the URL of the development mailbox; `nil` if there is none.
    /// - Throws: ``ConfigurationError`` without a mail server, or for an invalid URL.
    func smtp(mailbox: String?) throws -> SMTPConfiguration {
        guard let url = smtpURL ?? mailbox else {
            throw ConfigurationError("smtpURL", "there is no mail server to send through")
        }
        do {
            var smtp = try SMTPConfiguration(url: url)
            if let smtpCertificates { smtp.caFile = smtpCertificates }
            return smtp
        } catch {
            throw ConfigurationError("smtpURL", error.description)
        }
    }

    /// The form of ID tokens and session cookies.
    var tokenForm: TokenForm { mode == .development ? developmentTokens : .signed }

    /// The messages for the operator who starts the server.
    ///
    /// - Parameters:
    ///   - url: the actual address of the server.
    ///   - adminListener: the actual address of the admin listener; `nil` without one.
    ///   - hasMailbox: whether e-mails go to the development mailbox.
    func announcements(url: String, adminListener: String?, hasMailbox: Bool) -> [String] {
        var lines = (warnings + harmlessProblems.map(\.description)).map { "Warning: \($0)" }
        if mode == .development {
            lines.append(
                "Development mode: everyone on this machine is an administrator. "
                    + "Set LATCHKEY_MODE=production before other machines can reach it."
            )
            if tokenForm == .unsigned {
                lines.append(
                    "developmentTokens is \"unsigned\": ID tokens have no signature, and anyone can forge them. Firebase's Admin "
                        + "SDK for Node accepts them; PyJWT, jose, go-oidc and the recipes of docs/verify-tokens.md refuse them."
                )
            }
            lines.append("Try the demo at \(url)/demo." + (hasMailbox ? " Its e-mails arrive at \(url)/mailbox." : ""))
        }
        if let adminListener {
            let who = adminListener.hasPrefix("unix:") ? "process of this user" : "process on this machine"
            lines.append("The admin listener is on \(adminListener): every \(who) is an administrator there.")
        }
        if clientLimits.challenge == .always {
            lines.append(
                "challenge is \"always\": every guest and every e-mail needs a proof of work. "
                    + "Firebase's SDKs cannot solve it, so their apps cannot sign up guests or request links."
            )
        }
        return lines
    }
}
