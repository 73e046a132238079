internal import Accounts

extension Policy {
    /// Reads the settings of the account rules: for sign-in, sessions, e-mails, limits, merges, documents and
    /// usernames.
    init(_ settings: inout Settings, isDevelopment: Bool) {
        self.init()
        anonymousSignIn = settings.bool("signIn.anonymous", default: true)
        emailLinkSignIn = settings.bool("signIn.emailLink", default: true)
        emailPrivacy = settings.bool("emailPrivacy", default: !isDevelopment)
        noticesUnproven = isDevelopment
        signInLinkLife = settings.duration("life.signInLink", default: signInLinkLife)
        verifyLinkLife = settings.duration("life.verifyLink", default: verifyLinkLife)
        changeLinkLife = settings.duration("life.changeLink", default: changeLinkLife)
        recoverLinkLife = settings.duration("life.recoverLink", default: recoverLinkLife)
        longestMailDelay = settings.duration("life.mailDelay", default: longestMailDelay)
        recentSignIn = settings.durationOrZero("life.recentSignIn", default: recentSignIn)
        sessionLife = settings.duration("life.session", default: sessionLife)
        sessionAbsoluteLife = settings.durationOrZero(
            "life.sessionAbsolute",
            default: sessionAbsoluteLife
        )
        accountPageIdleLife = settings.duration("life.accountPageIdle", default: accountPageIdleLife)
        accountPageLife = settings.duration("life.accountPage", default: accountPageLife)
        let counts = 1...10_000_000
        sessionsPerUser = Int64(
            settings.integer("limits.sessionsPerUser", in: counts, default: isDevelopment ? 10_000_000 : 100)
        )
        mailsPerAddress = .hourly(
            Int64(settings.integer("limits.mailsPerAddress", in: counts, default: isDevelopment ? 100_000 : 10))
        )
        mailsPerAddressDaily = .daily(
            Int64(settings.integer("limits.mailsPerAddressDaily", in: counts, default: isDevelopment ? 1_000_000 : 30))
        )
        mailsPerClient = .hourly(
            Int64(settings.integer("limits.mailsPerClient", in: counts, default: isDevelopment ? 1_000_000 : 60))
        )
        noticesPerAccount = .daily(
            Int64(settings.integer("limits.noticesPerAccount", in: counts, default: isDevelopment ? 1_000_000 : 10))
        )
        wrongCodesPerTicket = Int64(settings.integer("limits.wrongCodesPerTicket", in: 1...10, default: 3))
        wrongCodesPerAddress = .daily(
            Int64(settings.integer("limits.wrongCodesPerAddress", in: 1...100, default: 20))
        )
        wrongCodesPerMinute = Int64(
            settings.integer("limits.wrongCodesPerMinute", in: counts, default: isDevelopment ? 1_000_000 : 60)
        )
        if isDevelopment { wrongAddressesPerLink = 1_000_000 }
        if isDevelopment { denialLife = 0 }
        denialsPerClient = .hourly(
            Int64(settings.integer("limits.denialsPerClient", in: counts, default: isDevelopment ? 1_000 : 10))
        )
        customSignInsPerUser = .hourly(
            Int64(settings.integer("limits.customSignInsPerUser", in: counts, default: isDevelopment ? 1_000_000 : 600))
        )
        addressLists = AddressLists(&settings)
        reviewAddresses = Self.reviewAddresses(&settings)
        documentMerges = Configuration.documentMerges(&settings)
        documents = DocumentLimits(&settings, isDevelopment: isDevelopment)
        if settings.isGiven("usernames.reserved") { reservedUsernames = Self.reservedUsernames(&settings) }
    }

    private static func reservedUsernames(_ settings: inout Settings) -> Set<String> {
        let words = settings.strings("usernames.reserved")
        if let bad = words.first(where: { Username($0.count < 3 ? $0 + "aa" : $0) == nil || Username.bare($0).isEmpty })
        {
            settings.refuse(
                "usernames.reserved",
                "\(bad) cannot be a username; reserve words of 1 to 30 ASCII letters and digits"
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
}

extension DocumentLimits {
    fileprivate init(_ settings: inout Settings, isDevelopment: Bool) {
        self.init()
        maxBytes = settings.integer("documents.maxBytes", in: 2...4_194_304, default: maxBytes)
        maxDepth = settings.integer("documents.maxDepth", in: 1...256, default: maxDepth)
        maxCount = settings.integer("documents.maxCount", in: 1...1_000_000, default: maxCount)
        maxTotalBytes = settings.integer(
            "documents.maxTotalBytes",
            in: 2...1_073_741_824,
            default: maxTotalBytes
        )
        guestMaxCount = settings.integer(
            "documents.guestMaxCount",
            in: 1...1_000_000,
            default: isDevelopment ? maxCount : guestMaxCount
        )
        guestMaxTotalBytes = settings.integer(
            "documents.guestMaxTotalBytes",
            in: 2...1_073_741_824,
            default: isDevelopment ? maxTotalBytes : guestMaxTotalBytes
        )
    }
}
