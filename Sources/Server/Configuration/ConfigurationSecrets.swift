/// The secrets that a command reads from the configuration.
///
/// An operator's command must not stop because a secret that it does not use is in the service's environment only.
package enum ConfigurationSecrets: Sendable {
    /// Every secret, as the server itself does.
    case all
    /// Those of the database: its URLs, and the server's secret.
    case storage
    /// The URLs of the database only.
    case database
    /// The URL of the mail server.
    case mail
    case none

    /// Whether the command reads the secret with this key.
    func include(_ key: String) -> Bool {
        let isDatabase = ["database", "postgresql.listenURL", "postgresql.replicaURL"].contains(key)
        return switch self {
        case .all: true
        case .storage: isDatabase || key == "secret"
        case .database: isDatabase
        case .mail: key == "smtpURL"
        case .none: false
        }
    }
}
