import Database
import Foundation
import PostgreSQLHarness

/// A test's own database with the product's tables, on the engine of this test run.
final class TestStore: Sendable {
    let database: any Database
    private let place: TestDatabase
    private let folder: String

    /// Makes a database.
    ///
    /// - Parameters:
    ///   - connections: the number of concurrent transactions.
    ///   - clock: the time, in milliseconds since 1970; `nil` for the real time.
    ///   - omittedProtections: the names of protections that are left out, with PostgreSQL.
    ///   - onStatement: called for each statement, which fails with what it throws.
    init(
        connections: Int = 1,
        clock: (@Sendable () -> Int64)? = nil,
        omittedProtections: Set<String> = [],
        onStatement: (@Sendable (String) throws(DatabaseError) -> Void)? = nil
    ) throws {
        folder = NSTemporaryDirectory() + "latchkey-accounts-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        place = try TestDatabase(in: folder)
        // Usually one at a time, so that only the test's own statements are counted.
        database = try place.open(
            connections: connections,
            // A test may hold a transaction for long on a busy machine.
            statementTimeout: 60_000,
            // A transaction that ran again would not have waited, which is what many tests are about.
            lockTimeout: 0,
            clock: clock,
            omittedProtections: omittedProtections,
            onStatement: onStatement
        )
    }

    deinit {
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
