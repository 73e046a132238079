import Database
import Foundation
import PostgreSQLHarness

/// A database of a test's own with the product's tables, on the engine that this run of the tests is about.
final class TestStore: Sendable {
    let database: any Database
    private let place: TestDatabase
    private let folder: String

    /// Makes one.
    ///
    /// - Parameters:
    ///   - clock: the time, in milliseconds since 1970; `nil` for the true one.
    ///   - onStatement: told of each statement, which fails with what it throws.
    init(
        clock: (@Sendable () -> Int64)? = nil,
        onStatement: (@Sendable (String) throws(DatabaseError) -> Void)? = nil
    ) throws {
        folder = NSTemporaryDirectory() + "latchkey-accounts-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        place = try TestDatabase(in: folder)
        switch TestDatabase.Engine.current {
        case .sqlite:
            var configuration = SQLiteConfiguration(path: "\(folder)/latchkey.db")
            if let clock { configuration.clock = clock }
            configuration.onStatement = onStatement
            database = try SQLiteDatabase(configuration, migrations: Migration.embedded())
        case .postgreSQL:
            var configuration = PostgreSQLConfiguration(url: place.url)
            // One after the other, so that what is counted is of what the test has asked for.
            configuration.connections = 1
            configuration.clock = clock
            configuration.onStatement = onStatement
            database = try PostgreSQLDatabase(configuration, migrations: Migration.embedded())
        }
    }

    deinit {
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

extension Transaction {
    /// Everything that the database holds, a line for each row.
    func dump(without ignored: Set<String> = []) throws -> [String] {
        let tables =
            switch dialect {
            case .sqlite:
                try all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") { try $0.text(0) }
            case .postgreSQL:
                try all("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1") { try $0.text(0) }
            }
        return try tables.filter { !ignored.contains($0) }.flatMap { table in
            var values: SQL = "''"
            switch dialect {
            case .sqlite:
                for column in try all("SELECT name FROM pragma_table_info(\(table))", { try $0.text(0) }) {
                    values += " || '|' || quote(\(identifier: column))"
                }
            case .postgreSQL: values = "'|' || CAST(dumped AS TEXT)"
            }
            return try all("SELECT \(values) FROM \(identifier: table) AS dumped ORDER BY 1") {
                "\(table)\(try $0.text(0))"
            }
        }
    }
}
