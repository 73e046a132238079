package import AccountDatabase
package import Accounts
package import Crypto
package import Database
package import Mail
package import Network

/// The checked configuration of a server, from options, environment and file.
package struct Configuration: Sendable {
    /// The purpose of the server, which decides on defaults and checks.
    package enum Mode: String, Sendable, CaseIterable {
        /// For this machine only, with a built-in mailbox and the helper calls of the emulator.
        case development
        /// For real users: requires a secret, an https URL, a mail server and a sender.
        case production
    }

    /// The form of ID tokens and session cookies.
    package enum TokenForm: String, Sendable, CaseIterable {
        /// Signed by the server's key.
        case signed
        /// Without a signature, which Firebase's Admin SDK for Node demands from an emulator. For development only.
        case unsigned
    }

    /// The location of the database.
    package enum DatabaseLocation: Sendable {
        /// The path of a SQLite file.
        case sqlite(String)
        /// A PostgreSQL server, with the settings for its use.
        case postgreSQL(PostgreSQLConfiguration)
    }

    /// Certificate and key of the listener, as PEM files.
    package struct TLSFiles: Sendable, Equatable {
        package let certificate: String
        package let key: String
    }

    /// An Android app that may open e-mail links.
    package struct AndroidApp: Sendable, Equatable {
        package let package: String
        /// SHA-256 fingerprints of the signing certificates, as `AB:CD:…`.
        package let fingerprints: [String]
    }

    /// When clients must solve proof-of-work challenges before they sign up as guests or request e-mails.
    package enum ChallengeMode: String, Sendable, CaseIterable {
        /// While many guests are created (``ClientLimits/guestsPerMinute``), for clients in networks that have used up
        /// a quarter of their budget.
        case load
        /// Before every sign-up of a guest and every call with which a client, not an administrator, requests an
        /// e-mail.
        case always
        case off
    }

    /// The limits for each client, which is an IPv4 address or an IPv6 /64, counted by each node, except where a limit
    /// says otherwise.
    package struct ClientLimits: Sendable, Equatable {
        /// New guests of one client per hour, and separately as many dry runs of merges.
        package var guests: Int
        /// New guests per minute in the whole installation from which on, in mode ``ChallengeMode/load``, clients in
        /// networks that have used up a part of their budget must solve challenges.
        package var guestsPerMinute: Int
        /// When clients must solve challenges.
        package var challenge: ChallengeMode
        /// Requests of one client for e-mail links per hour.
        package var links: Int
        /// Links, tickets and tokens with a bad signature that one client may present per hour, and separately as many
        /// wrong bearers.
        package var failures: Int
        /// Usernames that one client may claim or look up per hour, together with look-ups of sign-in methods by e-mail
        /// address.
        package var usernames: Int
        /// Simultaneous connections of one client.
        package var connections: Int
        /// Simultaneous change streams of one client.
        package var streams: Int
        /// Bytes of documents that the guests of one network may write per hour.
        package var guestBytesPerNetwork: Int
        /// The limits of the networks around a client, as multiples of these limits.
        package var networks: NetworkShares
    }

    /// The retry schedule of e-mails that could not be delivered, in milliseconds.
    package struct MailRetry: Sendable, Equatable {
        /// The wait before the first retry of an e-mail.
        ///
        /// The wait doubles with each retry.
        package var first: Int64
        /// The longest wait.
        package var longest: Int64
        /// How long a server that is sending e-mails keeps other servers from sending the same ones.
        ///
        /// The server renews this lease while it works.
        package var lease: Int64
    }

    package var mode: Mode
    /// The listening address: `host:port`, or in production also `unix:PATH`.
    ///
    /// Port 0 means any free port.
    package var listen: String
    /// The address for administrators' programs on this machine: a loopback `host:port` or `unix:PATH`; `nil` for none.
    package var adminListen: String?
    /// The address of the listener for Prometheus: `host:port` or `unix:PATH`; `nil` for none.
    package var metricsListen: String?
    /// The format of the log.
    package var logFormat: LogFormat
    /// The lowest level of the events that are logged.
    package var logLevel: LogLevel
    /// How long the node still serves after the signal to stop, while `/readyz` already tells that it stops, in
    /// milliseconds.
    package var drain: Int64
    package var database: DatabaseLocation
    /// Scheme, host and port at which clients reach the server.
    ///
    /// Links in e-mails start with it.
    ///
    /// `nil` in development means the listener's address.
    package var publicURL: String?
    package var projectID: String
    /// The setting of the `iss` claim of ID tokens; `nil` for the default, see ``tokenIssuer``.
    package var issuer: String?
    /// The name, the logo, the colors and the links that e-mails and pages show.
    package var brand: Brand
    /// The secrets as text, newest first; `nil` in development means a generated file.
    package var secret: String?
    package var adminKey: String?
    /// The API keys that clients may use; empty to accept any.
    package var apiKeys: [String]
    package var tls: TLSFiles?
    package var threads: Int
    package var connections: Int
    /// The maximum number of connections that are change streams.
    package var listeners: Int
    package var trustedProxies: [String]
    /// The name of the header field in which a trusted proxy sends the approximate location of a client; `nil` for
    /// none.
    package var placeHeader: String?
    package var allowedOrigins: [String]
    /// The origins whose web pages may call the API in production; `nil` if the setting is absent, see ``webOrigins``.
    package var corsOrigins: [String]?
    /// The hosts that requests may name in development, beside the loopback names.
    package var developmentHosts: [String]
    /// The form of ID tokens in development; in production they are always signed.
    package var developmentTokens: TokenForm

    package var smtpURL: String?
    /// A PEM file of certificate authorities to trust for SMTP instead of the system's; `nil` for the system's.
    package var smtpCertificates: String?
    package var mailFrom: String
    package var mailWorkers: Int
    package var mailRetry: MailRetry
    /// The address, `host:port`, at which the development mailbox accepts e-mails by SMTP.
    package var mailboxListen: String
    package var defaultLocale: String
    /// Whether users may manage their account on the page `/account`.
    package var accountPage: Bool
    /// The listeners on which the console is served.
    package var console: ConsoleAccess
    /// A folder with templates that replace the embedded ones, file by file; `nil` for none.
    package var templates: String?

    /// The operator's declarations about tables of the operator's own, whose rows follow a merge.
    package var assets: AssetSettings

    /// Free space in bytes on the file system of a SQLite database below which writes of documents are refused, and
    /// below half of it new guests; 0 turns this off.
    package var storageLowMark: Int

    package var signingAlgorithm: String
    package var policy: Policy
    /// The retention time of the audit log, in milliseconds.
    package var auditLife: Int64
    /// The longest life of a session cookie, in milliseconds.
    package var sessionCookieLife: Int64
    package var clientLimits: ClientLimits
    /// The ceiling for the e-mails that clients may request in a minute from the whole installation.
    ///
    /// Requests with the session of a permanent user, or with a guest's that is older than an hour and was used before,
    /// have a second ceiling of the same size on top (``MailCeiling``). Administrators' e-mails count but are never
    /// refused.
    package var mailsPerMinute: Int
    package var hooks: [HookConfiguration]
    /// Ranges of non-public addresses that hooks may nevertheless have.
    package var hooksAllowPrivate: [String]
    package var hookRetry: HookRetry
    /// The public keys that verify custom tokens, by the e-mail addresses of their service accounts.
    package var serviceAccounts: [String: [VerificationKey]]
    /// The Firebase project that users were imported from and may still have sessions in; `nil` without one.
    package var firebase: FirebaseConfiguration?
    /// What a sign-in by one of Firebase's SDKs does in a conflict, because these SDKs cannot send `onConflict`.
    package var firebaseOnConflict: OnConflict
    package var providers: [ProviderConfiguration]
    /// Ranges of non-public addresses that providers may nevertheless have.
    package var providersAllowPrivate: [String]
    /// Where to report vulnerabilities, as `/.well-known/security.txt` says; empty for none.
    package var securityContacts: [String]
    /// The URL of the policy for reporting vulnerabilities; `nil` for none.
    package var securityPolicyURL: String?
    /// Whether search engines may index the server's pages, as `/robots.txt` says.
    package var allowsRobots: Bool
    package var appleAppIDs: [String]
    package var androidApps: [AndroidApp]
    /// The values of the file as they were written, by key, without those that a variable or an option overrides.
    var given: [String: SettingValue] = [:]
    /// Warnings about allowed values that should be corrected, each with its location.
    package var warnings: [String] = []
    /// Problems with harmless values, each with its location: `latchkey check-config` refuses them, but the start only
    /// warns, because an upgrade must not stop a server.
    package var harmlessProblems: [ConfigurationProblem] = []
}
