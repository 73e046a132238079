package import Accounts
package import Crypto
package import Database
package import Network

/// How the server runs: everything that options, environment and file may set, checked.
package struct Configuration: Sendable {
    /// What the server is run for.
    package enum Mode: String, Sendable, CaseIterable {
        /// On this machine only, with a mailbox of its own and the helpers of the emulator.
        case development
        case production
    }

    /// Where the data is kept.
    package enum DatabaseLocation: Sendable {
        /// The path of a SQLite file.
        case sqlite(String)
        /// A PostgreSQL server, and how it is used.
        case postgreSQL(PostgreSQLConfiguration)
    }

    /// Certificate and key of the listener, as PEM files.
    package struct TLSFiles: Sendable, Equatable {
        package let certificate: String
        package let key: String
    }

    /// An app on Android that may open the mailed links.
    package struct AndroidApp: Sendable, Equatable {
        package let package: String
        /// SHA-256 fingerprints of the signing certificates, as `AB:CD:…`.
        package let fingerprints: [String]
    }

    /// When clients have to solve challenges before they sign up as guests or ask for mails.
    package enum ChallengeMode: String, Sendable, CaseIterable {
        /// While many guests are created, from networks that have used up a part of their budget.
        case load
        /// Always.
        case always
        case off
    }

    /// How many requests one client address may make; counted by each node.
    package struct ClientLimits: Sendable, Equatable {
        /// New anonymous users an hour.
        package var guests: Int
        /// New anonymous users a minute, of the whole installation, above which clients are asked for challenges.
        package var guestsPerMinute: Int
        /// When clients are asked for challenges.
        package var challenge: ChallengeMode
        /// Link requests an hour.
        package var links: Int
        /// Failed redemptions an hour.
        package var failures: Int
        /// Usernames claimed or looked for an hour.
        package var usernames: Int
        /// Connections at a time.
        package var connections: Int
        /// Streams of changes at a time.
        package var streams: Int
        /// Bytes of documents that the guests of one network may write an hour.
        package var guestBytesPerNetwork: Int
        /// How many times these limits the networks around a client have.
        package var networks: NetworkShares
    }

    /// When a mail that did not get through is tried again; in milliseconds.
    package struct MailRetry: Sendable, Equatable {
        /// Before the first repetition; doubled with each.
        package var first: Int64
        /// The longest wait.
        package var longest: Int64
        /// How long the mails that a server has in hand stay out of others' reach, unless it renews that.
        package var lease: Int64
    }

    package var mode: Mode
    /// `host:port`; the port may be 0 for any free one.
    package var listen: String
    /// Where administrators' programs on this machine call: a loopback `host:port` or `unix:PATH`; `nil` for nowhere.
    package var adminListen: String?
    package var database: DatabaseLocation
    /// Scheme, host and port under which clients reach the server; links are made from it.
    ///
    /// `nil` in development: the listener.
    package var publicURL: String?
    package var projectID: String
    /// `iss` of ID tokens.
    package var issuer: String?
    package var appName: String
    /// Secrets as text, newest first; `nil` in development: a file beside the database.
    package var secret: String?
    package var adminKey: String?
    /// The API keys that clients may give; none for any.
    package var apiKeys: [String]
    package var tls: TLSFiles?
    package var threads: Int
    package var connections: Int
    /// How many of them may be streams of changes.
    package var listeners: Int
    package var trustedProxies: [String]
    /// The header in which a trusted proxy says roughly where a client is.
    package var placeHeader: String?
    package var allowedOrigins: [String]
    /// The origins whose web pages may call the API in production; `nil` where the setting is not given.
    package var corsOrigins: [String]?
    /// Hosts that requests in development may name, beside the loopback ones.
    package var developmentHosts: [String]

    package var smtpURL: String?
    /// A file of certificates to trust for SMTP in place of the system's.
    package var smtpCertificates: String?
    package var mailFrom: String
    package var mailWorkers: Int
    package var mailRetry: MailRetry
    /// Where the development mailbox accepts mail.
    package var mailboxListen: String
    package var defaultLocale: String
    /// A folder that overrides embedded templates, file by file.
    package var templates: String?

    /// What the operator declares about tables of their own.
    package var assets: AssetSettings

    /// Free space in bytes on the file system of a SQLite database below which documents are refused; 0 for none.
    package var storageLowMark: Int

    package var signingAlgorithm: String
    package var policy: Policy
    /// How long the audit log remembers.
    ///
    /// Milliseconds.
    package var auditLife: Int64
    /// The longest life of a session cookie, in milliseconds.
    package var sessionCookieLife: Int64
    package var clientLimits: ClientLimits
    /// How many e-mails the whole installation accepts requests for in a minute.
    package var mailsPerMinute: Int
    package var hooks: [HookConfiguration]
    /// Ranges of addresses that are not public and that hooks may be at all the same.
    package var hooksAllowPrivate: [String]
    package var hookRetry: HookRetry
    /// The keys of those who sign custom tokens, by their e-mail addresses.
    package var serviceAccounts: [String: [VerificationKey]]
    /// Where users came from who may still have a session there.
    package var firebase: FirebaseConfiguration?
    package var providers: [ProviderConfiguration]
    /// Ranges of addresses that are not public and that providers may be at all the same.
    package var providersAllowPrivate: [String]
    package var appleAppIDs: [String]
    package var androidApps: [AndroidApp]
    /// What is allowed but should be mended, each with where it stands.
    package var warnings: [String] = []
}
