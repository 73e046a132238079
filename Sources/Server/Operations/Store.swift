internal import Accounts
package import Database
internal import JSON
package import Tokens

/// The database with the secret that belongs to it: what every command of an operator begins with.
package struct Store: Sendable {
    package let database: any Database
    package let secrets: ServerSecrets

    /// The setting that tells whether secret and database belong together.
    static let checkSetting = "secret-check"

    /// Opens the database and checks that the secret belongs to it.
    ///
    /// In development the secret is made beside the database, with mode 0600, where there is none.
    ///
    /// - Throws: ``StartError``, `DatabaseError`, `SecretError`.
    package static func open(
        _ configuration: Configuration,
        surroundings: Surroundings = Surroundings(),
        logger: Log
    ) throws -> Store {
        let database = try openDatabase(configuration, surroundings, logger: logger)
        do {
            let secrets = try secrets(configuration)
            try check(secrets, database)
            return Store(database: database, secrets: secrets)
        } catch {
            database.close()
            throw error
        }
    }

    private static func openDatabase(
        _ configuration: Configuration,
        _ surroundings: Surroundings,
        logger: Log
    ) throws -> any Database {
        let onEvent: @Sendable (DatabaseEvent) -> Void = { event in
            logger(event.isStatistics ? "transactions" : "database", ("detail", .string(event.description)))
        }
        var onStatement: (@Sendable (String) throws(DatabaseError) -> Void)?
        if let told = surroundings.onStatement {
            onStatement = { statement throws(DatabaseError) in
                do { try told(statement) } catch {
                    throw error as? DatabaseError ?? DatabaseError(.misuse, message: "\(error)")
                }
            }
        }
        switch configuration.database {
        case .sqlite(let path):
            var settings = SQLiteConfiguration(path: path)
            if let clock = surroundings.clock { settings.clock = clock }
            settings.onStatement = onStatement
            settings.freeSpace = surroundings.freeSpace
            settings.integrityInterval = Int(surroundings.probeInterval / .milliseconds(1))
            settings.assets = configuration.assets
            settings.onEvent = onEvent
            return try SQLiteDatabase(settings, migrations: Migration.embedded())
        case .postgreSQL(var settings):
            settings.clock = surroundings.clock
            settings.onStatement = onStatement
            settings.assets = configuration.assets
            settings.onEvent = onEvent
            return try PostgreSQLDatabase(settings, migrations: Migration.embedded())
        }
    }

    private static func secrets(_ configuration: Configuration) throws -> ServerSecrets {
        if let text = configuration.secret { return try ServerSecrets(text: text) }
        return switch configuration.database {
        case .sqlite(let path): try SecretFile.loadOrCreate("\(path).secret")
        case .postgreSQL: try SecretFile.loadOrCreate("\(Configuration.dataFolder)/postgresql.secret")
        }
    }

    private static func check(_ secrets: ServerSecrets, _ database: any Database) throws {
        let sealer = Sealer(secrets)
        let made = try CheckValue.make(sealer)
        let stored = try database.writeNow { transaction in
            if let stored = try transaction.setting(checkSetting) { return stored }
            try transaction.set(checkSetting, to: made)
            return made
        }
        guard try CheckValue.verify(stored, sealer) else { throw StartError.wrongSecret }
    }

    /// Seals the check value anew under the newest secret.
    func resealCheck(in transaction: Transaction) throws {
        try transaction.set(Self.checkSetting, to: try CheckValue.make(Sealer(secrets)))
    }
}

/// Why the server cannot start; the description says what to do.
package enum StartError: Error, Sendable, CustomStringConvertible {
    case wrongSecret
    case noDatabase(String)
    case invalidAddress(setting: String, String)
    case invalidMailSender(String)
    case mailboxUnavailable(String)

    package var description: String {
        switch self {
        case .wrongSecret:
            "the secret does not belong to this database: what the database holds was made under another one. "
                + "Give the old secret behind the new one (newest first), or the right database."
        case .noDatabase(let path):
            "there is no database at \(path). Give the server's configuration with --config, or its database with "
                + "--database sqlite:PATH."
        case .invalidAddress(let setting, let text):
            "\(setting): \(text) is no address to listen on; write it like 127.0.0.1:9099 or [::1]:9099"
        case .invalidMailSender(let reason): "mailFrom: \(reason); write it like Example <no-reply@example.com>"
        case .mailboxUnavailable(let reason): "the development mailbox cannot be opened: \(reason)"
        }
    }
}

extension Database {
    /// Runs a closure that writes and waits for its commit, for threads that have nothing else to do.
    ///
    /// - Parameters:
    ///   - kind: what it is for, as the counters of repetitions name it.
    ///   - alone: whether it must not share a transaction.
    ///   - body: the closure.
    package func writeNow<T: Sendable>(
        kind: String = #fileID,
        alone: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) throws -> T {
        let done = Handover<Result<T, any Error>>()
        write(kind, alone: alone, body) { done.give($0) }
        return try done.take().get()
    }
}
