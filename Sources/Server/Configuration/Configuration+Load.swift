internal import Accounts
internal import Database
internal import Network

extension Configuration {
    /// Reads and checks the configuration.
    ///
    /// - Parameters:
    ///   - file: the path of a JSON5 file, or `nil`.
    ///   - environment: all environment variables; options of the command line come in as variables too.
    /// - Throws: ``ConfigurationError`` with every problem found.
    package static func load(
        file: String?,
        environment: [String: String]
    ) throws -> Configuration {
        var settings = Settings(file: file, environment: environment)
        var configuration = Configuration(&settings)
        settings.refuseUnknown()
        configuration.check(&settings)
        guard settings.problems.isEmpty else { throw ConfigurationError(problems: settings.problems) }
        configuration.warnings = settings.warnings
        return configuration
    }

    private init(_ settings: inout Settings) {
        mode = settings.choice("mode", default: .development)
        let isDevelopment = mode == .development
        settings.judgesSecretFiles = !isDevelopment
        listen = settings.string("listen") ?? "127.0.0.1:9099"
        adminListen = settings.string("adminListen")
        database = DatabaseLocation(&settings)
        publicURL = settings.string("publicURL").map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        projectID = settings.string("projectID") ?? "demo-latchkey"
        issuer = settings.string("issuer")
        appName = settings.string("appName") ?? "Latchkey"
        secret = settings.secret("secret")
        adminKey = settings.secret("adminKey")
        apiKeys = settings.strings("apiKeys")
        tls = Self.tlsFiles(&settings)
        threads = settings.integer("threads", in: 1...256, default: 2)
        connections = settings.integer("connections", in: 16...1_000_000, default: 10_000)
        // Calls need connections as well.
        listeners = settings.integer("listeners", in: 0...1_000_000, default: connections / 5 * 4)
        trustedProxies = settings.strings("trustedProxies")
        placeHeader = settings.string("placeHeader")
        allowedOrigins = settings.strings("allowedOrigins")
        corsOrigins = settings.isGiven("corsOrigins") ? settings.strings("corsOrigins") : nil
        developmentHosts = settings.strings("developmentHosts")

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
        templates = settings.string("templates")
        assets = AssetSettings(&settings)

        storageLowMark = settings.integer(
            "storage.lowMark",
            in: 0...(1 << 40),
            default: isDevelopment ? 0 : 256 << 20
        )
        signingAlgorithm = settings.choice("signingAlgorithm", default: SigningAlgorithmName.es256).rawValue
        clientLimits = ClientLimits(
            guests: settings.integer(
                "limits.guestsPerClient",
                in: 1...10_000_000,
                default: isDevelopment ? 10_000_000 : 200
            ),
            guestsPerMinute: settings.integer(
                "limits.guestsPerMinute",
                in: 1...10_000_000,
                default: isDevelopment ? 10_000_000 : 600
            ),
            challenge: settings.choice("challenge", default: isDevelopment ? .off : .load),
            links: settings.integer(
                "limits.linksPerClient",
                in: 1...10_000_000,
                default: isDevelopment ? 1_000_000 : 60
            ),
            failures: settings.integer(
                "limits.failuresPerClient",
                in: 1...10_000_000,
                default: isDevelopment ? 1_000_000 : 60
            ),
            usernames: settings.integer(
                "limits.usernamesPerClient",
                in: 1...10_000_000,
                default: isDevelopment ? 1_000_000 : 600
            ),
            connections: settings.integer(
                "limits.connectionsPerClient",
                in: 1...1_000_000,
                default: isDevelopment ? 10_000 : 200
            ),
            streams: settings.integer(
                "limits.streamsPerClient",
                in: 1...1_000_000,
                default: isDevelopment ? 1_000_000 : 100
            ),
            guestBytesPerNetwork: settings.integer(
                "limits.guestBytesPerNetwork",
                in: 1...(1 << 40),
                default: isDevelopment ? 1 << 40 : 64 << 20
            ),
            networks: Self.networkShares(&settings)
        )
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
        policy = Self.policy(&settings, isDevelopment: isDevelopment)
        policy.hooks = hooks.map(\.subscription)
        auditLife = settings.duration("life.audit", default: 400 * 86_400_000)
        sessionCookieLife = Self.sessionCookieLife(&settings)
        serviceAccounts = Self.serviceAccounts(&settings)
        firebase = Self.firebase(&settings, at: SystemClock.now())
        providers = Self.providers(&settings)
        providersAllowPrivate = settings.strings("providersAllowPrivate")
        appleAppIDs = settings.strings("apple.appIDs")
        androidApps = Self.androidApps(&settings)
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

    private static func policy(_ settings: inout Settings, isDevelopment: Bool) -> Policy {
        var policy = Policy()
        policy.anonymousSignIn = settings.bool("signIn.anonymous", default: true)
        policy.emailLinkSignIn = settings.bool("signIn.emailLink", default: true)
        policy.emailPrivacy = settings.bool("emailPrivacy", default: !isDevelopment)
        policy.noticesUnproven = isDevelopment
        policy.signInLinkLife = settings.duration("life.signInLink", default: policy.signInLinkLife)
        policy.verifyLinkLife = settings.duration("life.verifyLink", default: policy.verifyLinkLife)
        policy.changeLinkLife = settings.duration("life.changeLink", default: policy.changeLinkLife)
        policy.recoverLinkLife = settings.duration("life.recoverLink", default: policy.recoverLinkLife)
        policy.longestMailDelay = settings.duration("life.mailDelay", default: policy.longestMailDelay)
        policy.recentSignIn = settings.durationOrZero("life.recentSignIn", default: policy.recentSignIn)
        policy.sessionLife = settings.duration("life.session", default: policy.sessionLife)
        policy.sessionAbsoluteLife = settings.durationOrZero(
            "life.sessionAbsolute",
            default: policy.sessionAbsoluteLife
        )
        let counts = 1...10_000_000
        policy.sessionsPerUser = Int64(
            settings.integer("limits.sessionsPerUser", in: counts, default: isDevelopment ? 10_000_000 : 100)
        )
        policy.mailsPerAddress = .hourly(
            Int64(settings.integer("limits.mailsPerAddress", in: counts, default: isDevelopment ? 100_000 : 10))
        )
        policy.mailsPerAddressDaily = .daily(
            Int64(settings.integer("limits.mailsPerAddressDaily", in: counts, default: isDevelopment ? 1_000_000 : 30))
        )
        policy.mailsPerClient = .hourly(
            Int64(settings.integer("limits.mailsPerClient", in: counts, default: isDevelopment ? 1_000_000 : 60))
        )
        policy.noticesPerAccount = .daily(
            Int64(settings.integer("limits.noticesPerAccount", in: counts, default: isDevelopment ? 1_000_000 : 10))
        )
        policy.wrongCodesPerTicket = Int64(settings.integer("limits.wrongCodesPerTicket", in: 1...10, default: 3))
        policy.wrongCodesPerAddress = .daily(
            Int64(settings.integer("limits.wrongCodesPerAddress", in: 1...100, default: 20))
        )
        policy.wrongCodesPerMinute = Int64(
            settings.integer("limits.wrongCodesPerMinute", in: counts, default: isDevelopment ? 1_000_000 : 60)
        )
        if isDevelopment { policy.wrongAddressesPerLink = 1_000_000 }
        if isDevelopment { policy.denialLife = 0 }
        policy.denialsPerClient = .hourly(
            Int64(settings.integer("limits.denialsPerClient", in: counts, default: isDevelopment ? 1_000 : 10))
        )
        policy.customSignInsPerUser = .hourly(
            Int64(settings.integer("limits.customSignInsPerUser", in: counts, default: isDevelopment ? 1_000_000 : 600))
        )
        policy.reviewAddresses = reviewAddresses(&settings)
        policy.documentMerges = documentMerges(&settings)
        policy.documents = documentLimits(&settings, isDevelopment: isDevelopment)
        if settings.isGiven("usernames.reserved") { policy.reservedUsernames = reservedUsernames(&settings) }
        return policy
    }

    private static func sessionCookieLife(_ settings: inout Settings) -> Int64 {
        let longest = CreateSessionCookie.usualLongestLife
        let life = settings.duration("life.sessionCookie", default: longest)
        if !(CreateSessionCookie.shortestLife * 1000...longest).contains(life) {
            settings.refuse("life.sessionCookie", "must be between 5m and 14d")
        }
        return life
    }

    private static func networkShares(_ settings: inout Settings) -> NetworkShares {
        var shares = NetworkShares()
        let factors = 1...65_536
        shares.ipv6Prefix56 = settings.integer(
            "limits.networks.ipv6Prefix56",
            in: factors,
            default: shares.ipv6Prefix56
        )
        shares.ipv6Prefix48 = settings.integer(
            "limits.networks.ipv6Prefix48",
            in: factors,
            default: shares.ipv6Prefix48
        )
        shares.ipv4Prefix24 = settings.integer(
            "limits.networks.ipv4Prefix24",
            in: factors,
            default: shares.ipv4Prefix24
        )
        return shares
    }

    private static func documentLimits(_ settings: inout Settings, isDevelopment: Bool) -> DocumentLimits {
        var limits = DocumentLimits()
        limits.maxBytes = settings.integer("documents.maxBytes", in: 2...4_194_304, default: limits.maxBytes)
        limits.maxDepth = settings.integer("documents.maxDepth", in: 1...256, default: limits.maxDepth)
        limits.maxCount = settings.integer("documents.maxCount", in: 1...1_000_000, default: limits.maxCount)
        limits.maxTotalBytes = settings.integer(
            "documents.maxTotalBytes",
            in: 2...1_073_741_824,
            default: limits.maxTotalBytes
        )
        limits.guestMaxCount = settings.integer(
            "documents.guestMaxCount",
            in: 1...1_000_000,
            default: isDevelopment ? limits.maxCount : limits.guestMaxCount
        )
        limits.guestMaxTotalBytes = settings.integer(
            "documents.guestMaxTotalBytes",
            in: 2...1_073_741_824,
            default: isDevelopment ? limits.maxTotalBytes : limits.guestMaxTotalBytes
        )
        return limits
    }

    private static func reservedUsernames(_ settings: inout Settings) -> Set<String> {
        let words = settings.strings("usernames.reserved")
        if let bad = words.first(where: { Username($0.count < 3 ? $0 + "aa" : $0) == nil || Username.bare($0).isEmpty })
        {
            settings.refuse(
                "usernames.reserved",
                "\(bad) could be nobody's username anyway: words of 1 to 30 ASCII letters and digits"
            )
        }
        return Set(words.map(Username.bare))
    }

    private static func reviewAddresses(_ settings: inout Settings) -> [ReviewAddress] {
        settings.objects("reviewAddresses").compactMap { members in
            guard case .string(let address)? = members["email"], case .string(let code)? = members["code"],
                case .string(let until)? = members["until"], members.count == 3,
                let email = try? EmailAddress(parsing: address), code.utf8.count >= 8,
                let date = CalendarDate(until)
            else {
                settings.refuse(
                    "reviewAddresses",
                    "each needs email, code (at least 8 characters) and until (a date such as 2027-01-31), and nothing else"
                )
                return nil
            }
            return ReviewAddress(email: email.canonical, code: code, until: date.endOfDay)
        }
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
