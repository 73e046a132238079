internal import Accounts
internal import Mail

extension Configuration {
    /// The settings that a reload applies, by their keys; those that end in a dot stand for all keys that begin so.
    private static let reloadable = [
        "limits.", "life.", "log.", "signIn.", "documents.", "usernames.", "merge.", "brand.", "tls.", "challenge",
        "lists.",
        "shutdown.drain", "storage.lowMark", "emailPrivacy", "reviewAddresses", "apiKeys", "allowedOrigins",
        "corsOrigins", "templates", "appName", "defaultLocale", "firebase.exchangeUntil",
    ]
    /// The exceptions: connections are counted, and routes made, with the values of the start.
    private static let fixed = ["limits.networks.", "documents.maxBytes"]

    /// Whether a reload applies a setting.
    static func isReloadable(_ key: String) -> Bool {
        func matches(_ entry: String) -> Bool { entry.hasSuffix(".") ? key.hasPrefix(entry) : key == entry }
        return reloadable.contains(where: matches) && !fixed.contains(where: matches)
    }

    /// Returns the keys whose values differ from those of another configuration, sorted.
    ///
    /// Secrets and the logo, which are read from files, count by their content.
    func changes(to other: Configuration) -> [String] {
        var keys = Set(given.keys).union(other.given.keys).filter { given[$0] != other.given[$0] }
        if secret != other.secret { keys.insert("secret") }
        if policy.addressLists != other.policy.addressLists || networkLists != other.networkLists {
            keys.insert("lists.*")
        }
        if adminKey != other.adminKey { keys.insert("adminKey") }
        if smtpURL != other.smtpURL { keys.insert("smtpURL") }
        if brand.logo != other.brand.logo { keys.insert("brand.logo") }
        return keys.sorted()
    }

    /// Returns this configuration with the settings of another one that a reload applies.
    func adopting(_ other: Configuration) -> Configuration {
        var result = self
        result.policy = other.policy
        result.policy.hooks = policy.hooks
        result.policy.movesFromFirebase = policy.movesFromFirebase
        result.policy.lateSignIns = policy.lateSignIns
        result.policy.documents.maxBytes = policy.documents.maxBytes
        result.networkLists = other.networkLists
        result.clientLimits = other.clientLimits
        result.clientLimits.networks = clientLimits.networks
        result.mailsPerMinute = other.mailsPerMinute
        result.auditLife = other.auditLife
        result.traceLife = other.traceLife
        result.sessionCookieLife = other.sessionCookieLife
        result.storageLowMark = other.storageLowMark
        result.drain = other.drain
        result.logFormat = other.logFormat
        result.logLevel = other.logLevel
        result.apiKeys = other.apiKeys
        result.allowedOrigins = other.allowedOrigins
        result.corsOrigins = other.corsOrigins
        result.templates = other.templates
        result.brand = other.brand
        result.defaultLocale = other.defaultLocale
        if let firebase = other.firebase { result.firebase?.exchangeUntil = firebase.exchangeUntil }
        // Both or neither: TLS is switched on and off by a restart only.
        if tls != nil, let files = other.tls { result.tls = files }
        for key in Set(given.keys).union(other.given.keys) where Self.isReloadable(key) {
            result.given[key] = other.given[key]
        }
        result.warnings = other.warnings
        return result
    }
}
