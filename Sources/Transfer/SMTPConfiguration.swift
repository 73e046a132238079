/// The mail server to which e-mails are submitted, with its credentials and the time limits.
package struct SMTPConfiguration: Sendable {
    /// How the connection is protected.
    package enum Security: String, Sendable {
        /// Clear text (`?starttls=off`). The default for `smtp://` if the host is this machine.
        case off
        /// STARTTLS if the server offers it, otherwise clear text (`?starttls=optional`).
        case optional
        /// STARTTLS, without which no e-mail is sent. The default for `smtp://` if the host is another machine.
        case required
        /// TLS from the first byte: `smtps://` (RFC 8314 section 3.3).
        case implicit
    }

    /// A user name and a password that are never printed.
    package struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String
        package var description: String { "<redacted>" }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    package let host: String
    package let port: Int
    package let credentials: Credentials?
    package let security: Security
    /// A PEM file of certificate authorities to trust instead of the system's; `nil` to trust the system's.
    package var caFile: String?
    /// The name for EHLO; nil for this machine's name.
    package var helloName: String?
    /// The maximum time to connect, including the greeting, TLS and the login, in milliseconds.
    package var connectTimeout = 10_000
    /// The maximum time for one attempt to send an e-mail, including connecting, in milliseconds.
    ///
    /// If a kept connection turns out to be dead, the e-mail is attempted a second time.
    package var totalTimeout = 60_000
    /// The maximum time without a byte in either direction, in seconds.
    package var stallTimeout = 45

    /// Parses `smtp://user:password@host:587` or `smtps://host`, with `?starttls=off|optional|required`, `ca=FILE` and
    /// `ehlo=NAME` as options.
    ///
    /// - Parameter url: the URL; user and password percent-encoded where needed. Default ports: 587 and 465 (RFC 8314).
    /// - Throws: `TransferError` of kind `invalid`, whose text never repeats the URL.
    package init(url: String) throws(TransferError) {
        let parts = try URLParts(url)
        guard parts.scheme == "smtp" || parts.scheme == "smtps" else {
            throw TransferError(.invalid, "the scheme is neither smtp nor smtps")
        }
        guard parts.path == "/" || parts.path.isEmpty else {
            throw TransferError(.invalid, "the URL must not have a path")
        }
        let options = try Self.options(parts.query)
        host = parts.host
        port = parts.port ?? (parts.scheme == "smtps" ? 465 : 587)
        guard port > 0 else { throw TransferError(.invalid, "port 0 is not valid") }
        caFile = options["ca"]
        helloName = options["ehlo"]
        security = try Self.security(scheme: parts.scheme, host: parts.host, option: options["starttls"])
        switch (parts.user, parts.password) {
        case (nil, nil): credentials = nil
        case (let user?, let password?): credentials = Credentials(user: user, password: password)
        default: throw TransferError(.invalid, "give both user and password, or neither")
        }
    }

    /// Whether the host is this machine, so that nothing leaves it.
    package var isOnThisMachine: Bool { Self.isLoopback(host) }

    /// The server without secrets, for logs.
    package var server: String { "\(security == .implicit ? "smtps" : "smtp")://\(host):\(port)" }

    private static func security(scheme: String, host: String, option: String?) throws(TransferError) -> Security {
        guard scheme == "smtp" else {
            guard option == nil else { throw TransferError(.invalid, "starttls cannot be used with smtps") }
            return .implicit
        }
        switch option {
        case "off": return .off
        case "optional": return .optional
        case "required": return .required
        case nil: return isLoopback(host) ? .off : .required
        default: throw TransferError(.invalid, "starttls must be off, optional or required")
        }
    }

    private static func options(_ query: String?) throws(TransferError) -> [String: String] {
        var options: [String: String] = [:]
        for item in (query ?? "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, ["starttls", "ca", "ehlo"].contains(pair[0]), !pair[1].isEmpty,
                options.updateValue(String(pair[1]), forKey: String(pair[0])) == nil
            else { throw TransferError(.invalid, "the options are starttls, ca and ehlo, each once") }
        }
        return options
    }

    private static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
