#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// The server and the settings for its calls.
    public struct Configuration: Sendable, Equatable {
        /// The server's base URL in one spelling: scheme and host in lower case, no slash at the end.
        public let server: String
        /// The API key: one of the server's setting `apiKeys`, or any text that is not empty if the server has no such
        /// setting.
        public var apiKey: String
        /// The language for e-mails and pages, for example `it` or `pt-BR`; `nil` for the server's default.
        public var languageCode: String?
        /// The time zone in which e-mails and pages write times, by its name in IANA's database, such as `Europe/Rome`;
        /// `nil` for UTC.
        ///
        /// It is not in a header field, but in the body of the calls that cause an e-mail.
        public var timeZone: String?
        /// The value of the header field `User-Agent`.
        ///
        /// The approval page and the e-mail name the asking device by known words in this value, such as `iPhone`.
        public var userAgent: String
        /// The time limit of one request, except one whose answer is a stream of events.
        ///
        /// A call may make several requests.
        public var requestTimeout: Duration

        /// Creates a configuration after checking its values.
        ///
        /// - Parameters:
        ///   - server: the base URL, for example `https://auth.example.com`.
        ///   - apiKey: the API key.
        ///   - languageCode: the language for e-mails and pages; `nil` for the server's default.
        ///   - timeZone: the time zone for e-mails and pages; by default the device's.
        ///   - userAgent: the name of the app, perhaps with its version and the device: `Notes/2.1 (iPhone)`.
        ///   - requestTimeout: the limit for one request.
        ///   - insecureAllowsHTTP: accepts an `http` URL of another machine, to which tokens then travel unencrypted.
        ///     For development only.
        /// - Throws: ``AuthError/Code/invalidConfiguration`` when the URL is invalid, has a user, query or fragment, or
        ///   is `http` to another machine; also when API key, language or user agent are not printable ASCII.
        public init(
            server: String,
            apiKey: String = "latchkey",
            languageCode: String? = nil,
            timeZone: String? = Self.deviceTimeZone,
            userAgent: String = "LatchkeyClient",
            requestTimeout: Duration = .seconds(30),
            insecureAllowsHTTP: Bool = false
        ) throws(AuthError) {
            self.server = try Self.normalized(server, insecureAllowsHTTP: insecureAllowsHTTP)
            self.apiKey = apiKey
            self.languageCode = languageCode
            self.timeZone = timeZone
            self.userAgent = userAgent
            self.requestTimeout = requestTimeout
            for value in [apiKey, languageCode ?? "", userAgent] where !Self.isHeaderValue(value) {
                throw AuthError(
                    .invalidConfiguration,
                    detail: "API key, language and user agent must be printable ASCII"
                )
            }
        }

        private static func normalized(_ server: String, insecureAllowsHTTP: Bool) throws(AuthError) -> String {
            guard let parts = URLComponents(string: server), let scheme = parts.scheme?.lowercased(),
                scheme == "http" || scheme == "https", let host = parts.host?.lowercased(), !host.isEmpty,
                parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
            else {
                throw AuthError(.invalidConfiguration, detail: "the server is not a URL like https://auth.example.com")
            }
            guard scheme == "https" || insecureAllowsHTTP || isLoopback(host) else {
                throw AuthError(.invalidConfiguration, detail: "http is for this machine only; use https for \(host)")
            }
            var path = parts.percentEncodedPath
            while path.hasSuffix("/") { path.removeLast() }
            let port = parts.port.map { ":\($0)" } ?? ""
            return "\(scheme)://\(host)\(port)\(path)"
        }

        /// Whether a host is this machine by its name or address: `localhost`, a name that ends in `.localhost`,
        /// 127.0.0.0/8 or ::1 (RFC 6761, 6.3; RFC 1122, 3.2.1.3).
        private static func isLoopback(_ host: String) -> Bool {
            let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            if bare == "localhost" || bare.hasSuffix(".localhost") || bare == "::1" { return true }
            let numbers = bare.split(separator: ".", omittingEmptySubsequences: false)
            return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
        }

        private static func isHeaderValue(_ text: String) -> Bool {
            text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        }
    }
}
