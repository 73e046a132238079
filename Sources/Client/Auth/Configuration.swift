#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth {
    /// Which server to talk to, and how.
    public struct Configuration: Sendable, Equatable {
        /// The server's base URL in one spelling: scheme and host in lower case, no slash at the end.
        public let server: String
        /// The API key; any value does for a Latchkey server, which has one project.
        public var apiKey: String
        /// The language for mails and pages, for example `it` or `pt-BR`; `nil` for the server's default.
        public var languageCode: String?
        /// Sent as `User-Agent`.
        ///
        /// The approval page and the mail name the asking device by the words in it that the server knows, such as `iPhone`.
        public var userAgent: String
        /// How long one request may take.
        public var requestTimeout: Duration

        /// Checks and makes a configuration.
        ///
        /// - Parameters:
        ///   - server: The base URL, for example `https://auth.example.com`.
        ///   - apiKey: The API key.
        ///   - languageCode: The language for mails and pages.
        ///   - userAgent: The name of the app, perhaps with its version and the device: `Notes/2.1 (iPhone)`.
        ///   - requestTimeout: The limit for one request.
        ///   - insecureAllowsHTTP: Lets tokens travel unencrypted to other machines. Never in an app that people use.
        /// - Throws: ``AuthError/Code/invalidConfiguration`` when the URL is not one, or is `http` to another machine.
        public init(
            server: String,
            apiKey: String = "latchkey",
            languageCode: String? = nil,
            userAgent: String = "LatchkeyClient",
            requestTimeout: Duration = .seconds(30),
            insecureAllowsHTTP: Bool = false
        ) throws(AuthError) {
            self.server = try Self.normalized(server, insecureAllowsHTTP: insecureAllowsHTTP)
            self.apiKey = apiKey
            self.languageCode = languageCode
            self.userAgent = userAgent
            self.requestTimeout = requestTimeout
            for value in [apiKey, languageCode ?? "", userAgent] where !Self.isHeaderValue(value) {
                throw AuthError(.invalidConfiguration, detail: "API key, language and user agent are printable ASCII")
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

        /// Names and addresses of this machine (RFC 6761, 6.3; RFC 1122, 3.2.1.3).
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
