internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import Tokens

extension Configuration {
    /// Records problems with values that are well-formed but cannot work or are not safe, and warnings about older
    /// secrets that are easily guessed.
    func check(_ settings: inout Settings) {
        switch mode {
        case .development: checkDevelopment(&settings)
        case .production: checkProduction(&settings)
        }
        if listeners >= connections {
            settings.refuse("listeners", "must be fewer than connections (\(connections)), since calls need some too")
        }
        if let publicURL, Origin(publicURL) == nil {
            settings.refuse("publicURL", "must be scheme, host and port only, such as https://auth.example.com")
        }
        if tokenIssuer.hasPrefix(Self.cookieIssuers) {
            settings.refuse(
                "issuer",
                "must not begin with \(Self.cookieIssuers), which is the issuer of session cookies"
            )
        }
        for entry in allowedOrigins where Origin(entry) == nil {
            settings.refuse("allowedOrigins", "\(entry) is not an origin; write it like https://app.example.com")
        }
        for entry in corsOrigins ?? [] where WebOrigin(entry) == nil {
            settings.refuse(
                "corsOrigins",
                "\(entry) is not an origin; write it like https://app.example.com, capacitor://localhost or null"
            )
        }
        checkAdminListener(&settings)
        checkMetricsListener(&settings)
        checkAssets(&settings)
        checkHooks(&settings)
        checkProviders(&settings)
        checkFirebase(&settings)
        if let adminKey, adminKey.utf8.count < 32 {
            settings.refuse("adminKey", "must have at least 32 bytes; make one with: openssl rand -base64 32")
        }
    }

    private func checkDevelopment(_ settings: inout Settings) {
        if case .postgreSQL = database, secret == nil, !settings.excusedSecrets.contains("secret") {
            settings.refuse("secret", StartError.noSharedSecret.description)
        }
        if !Self.isLoopback(listen) {
            settings.refuse(
                "listen",
                "\(listen) is not a loopback address, and development mode makes every client that reaches it an administrator; "
                    + "listen on 127.0.0.1, or set mode to production"
            )
        }
    }

    private func checkProduction(_ settings: inout Settings) {
        if secret == nil, !settings.excusedSecrets.contains("secret") {
            settings.refuse(
                "secret",
                "production needs one; make it with: openssl rand -base64 48, and give it as LATCHKEY_SECRET or in the file "
                    + "that LATCHKEY_SECRET_FILE names"
            )
        }
        checkSecret(&settings)
        if settings.isGiven("developmentTokens") {
            settings.refuse("developmentTokens", "is for development only; in production every ID token is signed")
        }
        if publicURL.flatMap(Origin.init)?.scheme != "https" {
            settings.refuse("publicURL", "production needs an https URL, such as https://auth.example.com")
        }
        if smtpURL == nil, !settings.excusedSecrets.contains("smtpURL") {
            settings.refuse(
                "smtpURL",
                "production needs a mail server, such as smtp://user:password@mail.example.com:587"
            )
        }
        for entry in allowedOrigins where Origin(entry)?.scheme == "http" {
            settings.refuseWithoutStopping(
                "allowedOrigins",
                "\(entry): production never leads a link to an http address; remove it, or write https"
            )
        }
        for entry in corsOrigins ?? [] where Origin(entry).map({ $0.scheme == "http" && !$0.isLoopback }) ?? false {
            settings.refuse(
                "corsOrigins",
                "\(entry): production takes http for loopback names only, such as http://localhost"
            )
        }
        if mailFrom.isEmpty {
            settings.refuse("mailFrom", "production needs a sender, such as Example <no-reply@example.com>")
        }
    }

    /// Records a problem if the newest secret has too few different bytes, so that it is easily guessed despite its
    /// length.
    ///
    /// An older secret only gets a warning, because data that was encrypted with it would be lost without it.
    ///
    /// The server's start refuses secrets that are too short.
    private func checkSecret(_ settings: inout Settings) {
        guard let secret else { return }
        let key = settings.isGiven("secretFile") ? "secretFile" : "secret"
        for (index, part) in ServerSecrets.parts(of: Array(secret.utf8)).enumerated()
        where part.count >= ServerSecrets.minimumLength && Set(part).count < ServerSecrets.minimumVariety {
            let reason = "has fewer than \(ServerSecrets.minimumVariety) different bytes"
            if index == 0 {
                settings.refuse(key, "the secret \(reason); make one with: openssl rand -base64 48")
            } else {
                settings.warn(key, "secret \(index + 1) \(reason); remove it when nothing needs it any more")
            }
        }
    }

    private func checkAdminListener(_ settings: inout Settings) {
        guard let adminListen else { return }
        guard let address = ListenAddress(adminListen) else {
            return settings.refuse(
                "adminListen",
                "must be a loopback address and port such as 127.0.0.1:9199, or unix:PATH"
            )
        }
        if !address.isLoopback {
            settings.refuse(
                "adminListen",
                "\(adminListen) is not a loopback address, and every client that reaches this listener is an administrator"
            )
        }
        if address == ListenAddress(listen), address.port != 0 {
            settings.refuse("adminListen", "is the address that listen names; it needs one of its own")
        }
    }

    private func checkMetricsListener(_ settings: inout Settings) {
        guard let metricsListen else { return }
        guard let address = ListenAddress(metricsListen) else {
            return settings.refuse(
                "metricsListen",
                "must be an address and port such as 127.0.0.1:9464, or unix:PATH"
            )
        }
        if mode == .development, !address.isLoopback {
            settings.refuse("metricsListen", "\(metricsListen) is not a loopback address, and this is development mode")
        }
        for (key, other) in [("listen", listen), ("adminListen", adminListen ?? "")]
        where address == ListenAddress(other) && address.port != 0 {
            settings.refuse("metricsListen", "is the address that \(key) names; it needs one of its own")
        }
    }

    private func checkAssets(_ settings: inout Settings) {
        if case .postgreSQL = database, !assets.attached.isEmpty {
            settings.refuse(
                "sqlAssets.attach",
                "only SQLite attaches files; tables in the same database need no attaching"
            )
        }
        if assets.attached.count > 10 { settings.refuse("sqlAssets.attach", "at most 10 files can be attached") }
        for (name, path) in assets.attached.sorted(by: { $0.key < $1.key }) {
            let key = "sqlAssets.attach.\(name)"
            let isWord = name.utf8.allSatisfy {
                $0 == UInt8(ascii: "_") || $0 < 0x80 && Character(Unicode.Scalar($0)).isLetter
            }
            if !isWord || ["main", "temp"].contains(name.lowercased()) {
                settings.refuse(key, "a name has letters and _ only, and is not main or temp")
            }
            if path.hasPrefix("file:") { settings.refuse(key, "must be a path, not a URL") }
            if case .sqlite(path) = database {
                settings.refuse(key, "is the database itself; its tables need no attaching")
            }
        }
        for declared in assets.tables {
            guard let name = declared.attached, assets.attached[name] == nil else { continue }
            settings.refuse("sqlAssets.tables", "\(declared.table): sqlAssets.attach has no file \(name)")
        }
    }

    /// Whether `host:port` is a loopback address: the host is `localhost`, `[::1]` or an IPv4 address that begins with
    /// `127.`.
    static func isLoopback(_ address: String) -> Bool {
        guard let colon = address.lastIndex(of: ":") else { return false }
        let host = address[..<colon]
        return host == "localhost" || host == "[::1]"
            || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }
}
