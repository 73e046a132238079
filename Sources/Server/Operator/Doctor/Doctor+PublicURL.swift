internal import Accounts
internal import FoundationEssentials
internal import HTTPServer
internal import Transfer

extension Doctor {
    /// Checks that the public URL leads to this installation, through whatever proxies are in front of it.
    func publicURLChecks() async -> [DoctorFinding] {
        guard let url = configuration.publicURL else {
            return [
                .warning(
                    "public-url",
                    "There is no publicURL, so links lead to this machine.",
                    "Set it before other machines can reach the server."
                )
            ]
        }
        var limits = HTTPClient.Limits()
        limits.connectTimeout = 5_000
        limits.totalTimeout = 8_000
        limits.maximumBody = 64 << 10
        let probe = await HTTPProbe.get("\(url)/.well-known/openid-configuration", limits)
        switch probe.result {
        case .failure(let error): return [Self.unreachable(url, error, probe.certificateProblem)]
        case .success(let response):
            return [answer(url, response)] + headers(response, isHTTPS: url.hasPrefix("https:"))
                + certificate(probe.certificateExpiry, check: "public-url.certificate")
                + clock(response) + (await clearText(url, limits))
        }
    }

    private static func unreachable(_ url: String, _ error: TransferError, _ certificate: String?) -> DoctorFinding {
        if let certificate {
            return .problem(
                "public-url.certificate",
                "The certificate of \(url) is not accepted: \(certificate).",
                "Get one for this name from a public authority, and let the proxy send the whole chain."
            )
        }
        return .problem(
            "public-url.reach",
            "\(url) cannot be reached from this machine: \(error.description).",
            "Check the DNS record of the name, the proxy, and the firewall. Some networks do not reach their own public "
                + "address from inside; then try from another machine."
        )
    }

    private func answer(_ url: String, _ response: HTTPResponse) -> DoctorFinding {
        let document = String(decoding: response.body, as: UTF8.self)
        guard response.status == 200, document.contains("\"jwks_uri\"") else {
            return .problem(
                "public-url",
                "\(url) answers \(response.status), and not as Latchkey does.",
                "Start the server, and let the proxy pass all paths to \(configuration.listen)."
            )
        }
        let isOurs =
            document.contains("\"\(configuration.tokenIssuer)\"")
            && document.contains("\"\(url)/.well-known/jwks.json\"")
        guard isOurs else {
            return .problem(
                "public-url",
                "\(url) leads to another installation of Latchkey, or to a server with other settings.",
                "Restart the server with this configuration, and check where the proxy leads."
            )
        }
        return .ok("public-url", "\(url) leads to this installation.")
    }

    private func headers(_ response: HTTPResponse, isHTTPS: Bool) -> [DoctorFinding] {
        guard isHTTPS else { return [] }
        guard response.header("Strict-Transport-Security") != nil else {
            return [
                .problem(
                    "public-url.headers",
                    "The proxy removes Strict-Transport-Security, so browsers may be led to http.",
                    "Let the proxy pass the header on."
                )
            ]
        }
        let count = response.headers.count { $0.name.lowercased() == "strict-transport-security" }
        guard count == 1 else {
            return [
                .warning(
                    "public-url.headers",
                    "Strict-Transport-Security is sent \(count) times: the proxy adds its own.",
                    "Remove it from the proxy's configuration. Browsers use the first one only (RFC 6797)."
                )
            ]
        }
        return [.ok("public-url.headers", "The proxy passes the security headers on.")]
    }

    /// Checks when a certificate expires.
    func certificate(_ expiry: Int64?, check: String) -> [DoctorFinding] {
        guard let expiry else { return [] }
        let days = (expiry - SystemClock.now()) / 86_400_000
        let date = Timestamp.rfc3339(milliseconds: expiry).prefix(10)
        // Certificates of 90 days are usually renewed 30 days before their end.
        guard days >= 14 else {
            return [
                .warning(
                    check,
                    "The certificate expires on \(date), in \(days) days.",
                    "Renew it, and check why it was not renewed by itself."
                )
            ]
        }
        return [.ok(check, "The certificate is valid until \(date), for \(days) more days.")]
    }

    /// Compares the machine's clock with the proxy's.
    private func clock(_ response: HTTPResponse) -> [DoctorFinding] {
        guard let text = response.header("Date"), let theirs = Self.moment(httpDate: text) else { return [] }
        let difference = abs(theirs - SystemClock.now()) / 1000
        guard difference > 30 else { return [] }
        return [
            .warning(
                "clock.proxy",
                "The clock of the server behind the public URL differs from this machine's by \(difference) seconds.",
                "Run a time service on both machines."
            )
        ]
    }

    /// Checks that http on the default port does not serve what https does.
    private func clearText(_ url: String, _ limits: HTTPClient.Limits) async -> [DoctorFinding] {
        guard let origin = Origin(url), origin.scheme == "https", origin.port == nil else { return [] }
        let probe = await HTTPProbe.get("http://\(origin.host)/healthz", limits)
        guard case .success(let response) = probe.result, response.status == 200 else { return [] }
        return [
            .problem(
                "public-url.clear-text",
                "http://\(origin.host) serves the API in clear text.",
                "Let the proxy answer http with a redirect to https, and nothing else."
            )
        ]
    }

    /// Parses the date of an HTTP response, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    static func moment(httpDate text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT" else { return nil }
        return TLSDate.moment("\(words[2]) \(words[1]) \(words[4]) \(words[3]) GMT")
    }
}
