internal import AccountDatabase
internal import Accounts
internal import Database
internal import Mail
internal import Network

extension Configuration {
    /// Reads and checks the configuration.
    ///
    /// - Parameters:
    ///   - file: the path of a JSON5 file, or `nil`.
    ///   - environment: all environment variables. Command-line options are passed as variables too.
    ///   - secrets: the secrets that are read. The others are `nil`, and may be missing or unreadable.
    /// - Returns: the configuration, with its warnings.
    /// - Throws: ``ConfigurationError`` with every problem found.
    package static func load(
        file: String?,
        environment: [String: String],
        secrets: ConfigurationSecrets = .all
    ) throws -> Configuration {
        var settings = Settings(file: file, environment: environment, secrets: secrets)
        var configuration = Configuration(&settings)
        settings.refuseUnknown()
        configuration.check(&settings)
        guard settings.problems.isEmpty else { throw ConfigurationError(problems: settings.problems) }
        configuration.given = settings.fileValues
        configuration.warnings = settings.warnings
        configuration.harmlessProblems = settings.harmlessProblems
        return configuration
    }

    private init(_ settings: inout Settings) {
        mode = settings.choice("mode", default: .development)
        let isDevelopment = mode == .development
        settings.judgesSecretFiles = !isDevelopment
        listen = settings.string("listen") ?? "127.0.0.1:9099"
        adminListen = settings.string("adminListen")
        metricsListen = settings.string("metricsListen")
        logFormat = settings.choice("log.format", default: isDevelopment ? .text : .json)
        logLevel = settings.choice("log.level", default: .info)
        drain = settings.durationOrZero("shutdown.drain", default: 0)
        database = DatabaseLocation(&settings)
        publicURL = settings.string("publicURL").map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        projectID = settings.string("projectID") ?? "demo-latchkey"
        issuer = settings.string("issuer")
        brand = Brand(&settings, isDevelopment: isDevelopment)
        secret = settings.secret("secret")
        adminKey = settings.secret("adminKey")
        apiKeys = settings.strings("apiKeys")
        tls = Self.tlsFiles(&settings)
        threads = settings.integer("threads", in: 1...256, default: 2)
        connections = settings.integer("connections", in: 16...1_000_000, default: 10_000)
        // Ordinary calls need connections as well.
        listeners = settings.integer("listeners", in: 0...1_000_000, default: connections / 5 * 4)
        trustedProxies = settings.strings("trustedProxies")
        placeHeader = settings.string("placeHeader")
        allowedOrigins = settings.strings("allowedOrigins")
        corsOrigins = settings.isGiven("corsOrigins") ? settings.strings("corsOrigins") : nil
        developmentHosts = settings.strings("developmentHosts")
        developmentTokens = settings.choice("developmentTokens", default: .signed)

        smtpURL = settings.secret("smtpURL")
        smtpCertificates = settings.file("smtpCertificates")
        mailFrom = settings.string("mailFrom") ?? (isDevelopment ? "Latchkey <latchkey@localhost>" : "")
        mailWorkers = settings.integer("mailWorkers", in: 1...64, default: 4)
        mailRetry = MailRetry(
            first: settings.duration("mailRetry.first", default: 30_000),
            longest: settings.duration("mailRetry.longest", default: 3_600_000),
            lease: settings.duration("mailRetry.lease", default: 15_000)
        )
        mailboxListen = settings.string("mailboxListen") ?? "127.0.0.1:1025"
        defaultLocale = settings.string("defaultLocale") ?? "en"
        accountPage = settings.bool("accountPage", default: false)
        console = settings.choice("console", default: .adminListener)
        templates = settings.string("templates")
        assets = AssetSettings(&settings)

        storageLowMark = settings.integer(
            "storage.lowMark",
            in: 0...(1 << 40),
            default: isDevelopment ? 0 : 256 << 20
        )
        signingAlgorithm = settings.choice("signingAlgorithm", default: SigningAlgorithmName.es256).rawValue
        clientLimits = ClientLimits(&settings, isDevelopment: isDevelopment)
        mailsPerMinute = settings.integer(
            "limits.mailsPerMinute",
            in: 1...10_000_000,
            default: isDevelopment ? 10_000_000 : 600
        )
        hooks = Self.hooks(&settings, isDevelopment: isDevelopment)
        hooksAllowPrivate = settings.strings("hooksAllowPrivate")
        hookRetry = HookRetry(
            first: settings.duration("hookRetry.first", default: 10_000),
            longest: settings.duration("hookRetry.longest", default: 3_600_000),
            life: settings.duration("hookRetry.life", default: 3 * 86_400_000),
            lease: settings.duration("hookRetry.lease", default: 15_000)
        )
        policy = Policy(&settings, isDevelopment: isDevelopment)
        policy.hooks = hooks.map(\.subscription)
        auditLife = settings.duration("life.audit", default: 400 * 86_400_000)
        sessionCookieLife = Self.sessionCookieLife(&settings)
        serviceAccounts = Self.serviceAccounts(&settings)
        firebase = Self.firebase(&settings, at: SystemClock.now())
        firebaseOnConflict = Self.firebaseOnConflict(&settings)
        providers = Self.providers(&settings)
        providersAllowPrivate = settings.strings("providersAllowPrivate")
        securityContacts = Self.securityContacts(&settings)
        securityPolicyURL = settings.url("securityTxt.policy", schemes: ["https"])
        allowsRobots = settings.bool("robots", default: false)
        appleAppIDs = settings.strings("apple.appIDs")
        androidApps = Self.androidApps(&settings)
        policy.linksOpenApps = !appleAppIDs.isEmpty || !androidApps.isEmpty
    }

    private enum SigningAlgorithmName: String, CaseIterable {
        case es256 = "ES256"
        case edDSA = "EdDSA"
        case rs256 = "RS256"
    }

    private static func tlsFiles(_ settings: inout Settings) -> TLSFiles? {
        switch (settings.file("tls.certificate"), settings.secretFile("tls.key")) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        case (nil, _), (_, nil):
            settings.refuse("tls.certificate", "certificate and key go together; give both or none")
            return nil
        }
    }

    private static func sessionCookieLife(_ settings: inout Settings) -> Int64 {
        let longest = CreateSessionCookie.usualLongestLife
        let life = settings.duration("life.sessionCookie", default: longest)
        if !(CreateSessionCookie.shortestLife * 1000...longest).contains(life) {
            settings.refuse("life.sessionCookie", "must be between 5m and 14d")
        }
        return life
    }

    /// Reads the contacts of `/.well-known/security.txt` (RFC 9116, section 2.5.3).
    private static func securityContacts(_ settings: inout Settings) -> [String] {
        let contacts = settings.strings("securityTxt.contacts")
        for contact in contacts where !contact.isPlainURL(schemes: ["https", "mailto", "tel"]) {
            settings.refuse("securityTxt.contacts", "\(contact) is not a URL that begins with https:, mailto: or tel:")
        }
        return contacts
    }

    private static func androidApps(_ settings: inout Settings) -> [AndroidApp] {
        settings.objects("android.apps").compactMap { members in
            guard case .string(let package)? = members["package"], case .list(let values)? = members["fingerprints"],
                members.count == 2
            else {
                settings.refuse("android.apps", "each needs package and fingerprints (a list), and nothing else")
                return nil
            }
            let fingerprints = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            return AndroidApp(package: package, fingerprints: fingerprints)
        }
    }
}
