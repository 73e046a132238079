internal import AccountDatabase
internal import Accounts
package import Database
internal import HTTPServer
internal import JSON
package import Tokens

/// The open database, with the secrets that encrypt and sign what it contains.
package struct Store: Sendable {
    package let database: any Database
    package let secrets: ServerSecrets

    /// The name of the setting whose value was encrypted with the secret, which shows whether secret and database
    /// belong together.
    static let checkSetting = "secret-check"

    /// Opens the database and checks that the secret belongs to it.
    ///
    /// If the configuration has no secret, which only development mode on SQLite allows, the secret is read from a file
    /// beside the database. A missing file is created with mode 0600.
    ///
    /// - Throws: ``StartError``, `DatabaseError`, `SecretError`.
    package static func open(
        _ configuration: Configuration,
        environment: InstanceEnvironment = InstanceEnvironment(),
        logger: Log
    ) throws -> Store {
        let database = try openDatabase(configuration, environment, logger: logger)
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
        _ environment: InstanceEnvironment,
        logger: Log
    ) throws -> any Database {
        let onEvent: @Sendable (DatabaseEvent) -> Void = { event in
            logger(event.isStatistics ? "transactions" : "database", ("detail", .string(event.description)))
        }
        var onStatement: (@Sendable (String) throws(DatabaseError) -> Void)?
        if let told = environment.onStatement {
            onStatement = { statement throws(DatabaseError) in
                do { try told(statement) } catch {
                    throw error as? DatabaseError ?? DatabaseError(.misuse, message: "\(error)")
                }
            }
        }
        switch configuration.database {
        case .sqlite(let path):
            var settings = SQLiteConfiguration(path: path)
            if let clock = environment.clock { settings.clock = clock }
            settings.onStatement = onStatement
            settings.freeSpace = environment.freeSpace
            if let bounds = environment.queueBounds { settings.queueBounds = bounds }
            settings.integrityInterval = Int(environment.probeInterval / .milliseconds(1))
            settings.declare(configuration.assets)
            settings.onEvent = onEvent
            settings.completing = { Resumptions.together($0) }
            return try SQLiteDatabase(
                settings,
                migrations: Migration.embedded(),
                latestSchema: Migration.embeddedLatestSchema
            )
        case .postgreSQL(var settings):
            settings.clock = environment.clock
            if let bounds = environment.queueBounds { settings.queueBounds = bounds }
            settings.onStatement = onStatement
            settings.declare(configuration.assets)
            settings.onEvent = onEvent
            settings.completing = { Resumptions.together($0) }
            return try PostgreSQLDatabase(settings, migrations: Migration.embedded())
        }
    }

    private static func secrets(_ configuration: Configuration) throws -> ServerSecrets {
        if let text = configuration.secret { return try ServerSecrets(text: text) }
        return switch configuration.database {
        case .sqlite(let path): try SecretFile.loadOrCreate("\(path).secret")
        case .postgreSQL: throw StartError.noSharedSecret
        }
    }

    private static func check(_ secrets: ServerSecrets, _ database: any Database) throws {
        let sealer = Sealer(secrets)
        let made = try CheckValue.make(sealer)
        let stored = try database.writeNow(kind: "CheckSecret") { transaction in
            if let stored = try transaction.setting(checkSetting) { return stored }
            try transaction.set(checkSetting, to: made)
            return made
        }
        guard try CheckValue.verify(stored, sealer) else { throw StartError.wrongSecret }
    }

    /// Encrypts the value of ``checkSetting`` with the newest secret.
    func resealCheck(in transaction: Transaction) throws {
        try transaction.set(Self.checkSetting, to: try CheckValue.make(Sealer(secrets)))
    }
}

/// An error in the configuration or the environment that keeps the server or a command from starting.
///
/// Other such errors are ``ConfigurationError`` and `DatabaseError`. The description is for the operator: it says what is
/// wrong and, if the cause is known, what to do.
package enum StartError: Error, Sendable, CustomStringConvertible {
    case wrongSecret
    case noDatabase(String)
    /// A PostgreSQL database without a configured secret.
    case noSharedSecret
    case invalidAddress(setting: String, String)
    case invalidMailSender(String)
    case mailboxUnavailable(String)

    package var description: String {
        switch self {
        case .wrongSecret:
            "the secret does not belong to this database, whose data was encrypted with another secret. "
                + "Give the old secret after the new one (newest first), or use the right database."
        case .noDatabase(let path):
            "there is no database at \(path). Give the server's configuration with --config, or its database with "
                + "--database sqlite:PATH."
        case .noSharedSecret:
            "a database on a PostgreSQL server needs a configured secret, which all its servers and commands share. Give "
                + "the configuration that has it with --config, or name its file in LATCHKEY_SECRET_FILE. Make a new one "
                + "with: openssl rand -base64 48"
        case .invalidAddress(let setting, let text):
            "\(setting): \(text) is not an address to listen on; write it like 127.0.0.1:9099 or [::1]:9099"
        case .invalidMailSender(let reason): "mailFrom: \(reason); write it like Example <no-reply@example.com>"
        case .mailboxUnavailable(let reason): "the development mailbox cannot be opened: \(reason)"
        }
    }
}

extension Database {
    /// Runs a closure that writes, and blocks the calling thread until its commit is durable.
    ///
    /// - Parameters:
    ///   - kind: the name of the closure in the transaction statistics.
    ///   - alone: whether the closure must not share a transaction with others.
    ///   - body: the closure; it may run more than once.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws, or `DatabaseError`.
    package func writeNow<T: Sendable>(
        kind: String = TransactionStatistics.unnamed,
        alone: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) throws -> T {
        let done = BlockingResult<Result<T, any Error>>()
        write(kind, alone: alone, body) { done.give($0) }
        return try done.take().get()
    }
}
