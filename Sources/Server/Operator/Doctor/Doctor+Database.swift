internal import AccountDatabase
internal import Database
internal import FoundationEssentials
internal import Tokens

extension Doctor {
    /// Checks that the database answers, how fast, and that it belongs to this version and secret.
    func databaseChecks() -> [DoctorFinding] {
        if case .sqlite(let path) = configuration.database, !FileManager.default.fileExists(atPath: path) { return [] }
        let snapshot: DatabaseSnapshot
        do { snapshot = try configuration.database.snapshot() } catch { return [Self.finding(error)] }
        defer { snapshot.close() }
        do {
            return try [
                version(snapshot.transaction), latency(snapshot.transaction), secret(snapshot.transaction),
            ].compactMap(\.self) + clockChecks(snapshot.transaction)
        } catch {
            return [Self.finding(error)]
        }
    }

    private static func finding(_ error: any Error) -> DoctorFinding {
        guard let error = error as? DatabaseError else {
            return .problem("database", "The database cannot be read: \(error).", "Check the setting 'database'.")
        }
        switch error.kind {
        case .unavailable:
            return .problem(
                "database.reach",
                "The database cannot be reached: \(error.message)",
                "Start it, and check host, port, user, password and name in 'database', and the firewall between."
            )
        case .schema where error.message.contains("older"):
            return .warning(
                "database.schema",
                "The database is of an earlier version of Latchkey.",
                "Make a backup. The next start of the server brings it to this version."
            )
        case .schema:
            return .problem(
                "database.schema",
                "The database cannot be used: \(error.message).",
                "If it is new, start the server once. Otherwise use the version of Latchkey that wrote it."
            )
        case .corrupt:
            return .problem(
                "database.damage",
                "The database is damaged: \(error.message)",
                "Stop the server, and restore the last good backup with 'latchkey restore'."
            )
        default:
            return .problem(
                "database",
                "The database cannot be read: \(error.message)",
                "Check the setting 'database'."
            )
        }
    }

    private func version(_ transaction: Transaction) throws -> DoctorFinding {
        switch transaction.dialect {
        case .sqlite:
            let version = try transaction.first("SELECT sqlite_version()") { try $0.text(0) } ?? "?"
            return .ok("database.version", "SQLite \(version).")
        case .postgreSQL:
            let version = try transaction.first("SELECT current_setting('server_version')") { try $0.text(0) } ?? "?"
            let number = Int(version.prefix { $0.isNumber }) ?? 0
            guard number >= 15 else {
                return .warning(
                    "database.version",
                    "PostgreSQL \(version). Latchkey is tested with 15.",
                    "Upgrade PostgreSQL."
                )
            }
            return .ok("database.version", "PostgreSQL \(version).")
        }
    }

    private func latency(_ transaction: Transaction) throws -> DoctorFinding {
        let times = try (0..<5).map { _ in
            let start = ContinuousClock.now
            _ = try transaction.first("SELECT count(*) FROM schema_migrations") { try $0.integer(0) }
            return ContinuousClock.now - start
        }
        let milliseconds = (times.min() ?? .zero) / .milliseconds(1)
        let text = "\((milliseconds * 100).rounded() / 100)"
        guard milliseconds < 10 else {
            return .warning(
                "database.latency",
                "A query takes \(text) ms. A call makes several, one after the other.",
                "Run the nodes near the database, in the same data centre."
            )
        }
        return .ok("database.latency", "A query takes \(text) ms.")
    }

    private func secret(_ transaction: Transaction) throws -> DoctorFinding? {
        guard let text = configuration.secret, let value = try transaction.setting(Store.checkSetting) else {
            return nil
        }
        do {
            if try CheckValue.verify(value, Sealer(ServerSecrets(text: text))) {
                return .ok("database.secret", "The secret belongs to the database.")
            }
        } catch {
            return .problem(
                "database.secret",
                "The secret cannot be used: \(error).",
                "Make one with: openssl rand -base64 48"
            )
        }
        return .problem(
            "database.secret",
            "The secret does not belong to the database, so the server does not start.",
            "Give the old secret after the new one (newest first), or use the right database."
        )
    }

    private func clockChecks(_ transaction: Transaction) throws -> [DoctorFinding] {
        guard transaction.dialect == .postgreSQL else { return [] }
        let before = SystemClock.now()
        let theirs = try transaction.first("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)") {
            try $0.integer(0)
        }
        guard let theirs else { return [] }
        let difference = theirs - (before + SystemClock.now()) / 2
        guard abs(difference) < 2000 else {
            return [
                .warning(
                    "clock.database",
                    "The database server's clock differs from this machine's by \(abs(difference) / 1000) seconds.",
                    "Run a time service on both. Latchkey goes by the database server's clock."
                )
            ]
        }
        return [.ok("clock.database", "The database server has the same time.")]
    }
}
