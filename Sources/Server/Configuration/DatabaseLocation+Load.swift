internal import Database
internal import FoundationEssentials

extension Configuration {
    /// The folder, in the working directory, of the default SQLite database, and of the secret that development
    /// generates for PostgreSQL.
    static let dataFolder = "latchkey-data"
}

extension Configuration.DatabaseLocation {
    /// Reads the setting `database` and, for a PostgreSQL server, those below `postgresql`.
    init(_ settings: inout Settings) {
        self = .sqlite("\(Configuration.dataFolder)/latchkey.db")
        // It may be read from a file, because it may contain a password.
        let url = settings.secret("database")
        let isServer = url.map(Self.isServer) ?? false
        // Read in any case, because a key that is not read is refused as unknown.
        let server = Self.postgreSQL(isServer ? url ?? "" : "", &settings)
        guard let url else { return }
        if isServer {
            self = .postgreSQL(server)
        } else if url.hasPrefix("sqlite:"), url.utf8.count > "sqlite:".utf8.count {
            self = .sqlite(String(url.dropFirst("sqlite:".count)))
        } else {
            settings.refuse("database", "must be sqlite:PATH or postgresql://USER:PASSWORD@HOST:PORT/NAME")
        }
    }

    private static func isServer(_ url: String) -> Bool {
        url.hasPrefix("postgresql://") || url.hasPrefix("postgres://")
    }

    private static func postgreSQL(_ url: String, _ settings: inout Settings) -> PostgreSQLConfiguration {
        let (libraryURL, own) = split(url)
        var server = PostgreSQLConfiguration(url: libraryURL)
        switch own {
        case nil, "on": break
        case "off": server.prepares = false
        case let other?: settings.refuse("database", "prepare=\(other) must be prepare=on or prepare=off")
        }
        if !libraryURL.isEmpty, let flaw = PostgreSQLURL.flaw(in: libraryURL) { settings.refuse("database", flaw) }
        server.listenURL = otherURL("postgresql.listenURL", &settings)
        server.replicaURL = otherURL("postgresql.replicaURL", &settings)
        server.connections = settings.integer("postgresql.connections", in: 2...1000, default: server.connections)
        server.connectTimeout = Int(
            settings.duration("postgresql.connectTimeout", default: Int64(server.connectTimeout))
        )
        server.statementTimeout = Int(
            settings.duration("postgresql.statementTimeout", default: Int64(server.statementTimeout))
        )
        return server
    }

    /// Reads the PostgreSQL URL in a setting beside `database`, such as that of a replica; `nil` if it is not given.
    ///
    /// Records a problem with an unusable URL, and returns it nevertheless.
    private static func otherURL(_ key: String, _ settings: inout Settings) -> String? {
        guard let url = settings.secret(key) else { return nil }
        if !isServer(url) {
            settings.refuse(key, "must be postgresql://USER:PASSWORD@HOST:PORT/NAME")
        } else if split(url).prepare != nil {
            settings.refuse(key, "must not have prepare=; the one of database applies")
        } else if let flaw = PostgreSQLURL.flaw(in: url) {
            settings.refuse(key, flaw)
        }
        return url
    }

    /// Separates Latchkey's own parameter `prepare` from the URL, because libpq refuses unknown parameters.
    private static func split(_ url: String) -> (url: String, prepare: String?) {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return (url, nil) }
        let parameters = parts[1].split(separator: "&")
        let own = parameters.last { $0.hasPrefix("prepare=") }
        let others = parameters.filter { !$0.hasPrefix("prepare=") }.joined(separator: "&")
        return (others.isEmpty ? String(parts[0]) : "\(parts[0])?\(others)", own.map { String($0.dropFirst(8)) })
    }
}
