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
    ///   - connections: how many transactions run at once.
    ///   - clock: the time, in milliseconds since 1970; `nil` for the true one.
    ///   - onStatement: told of each statement, which fails with what it throws.
    init(
        connections: Int = 1,
        clock: (@Sendable () -> Int64)? = nil,
        onStatement: (@Sendable (String) throws(DatabaseError) -> Void)? = nil
    ) throws {
        folder = NSTemporaryDirectory() + "latchkey-accounts-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        place = try TestDatabase(in: folder)
        // Usually one after the other, so that what is counted is of what the test has asked for.
        database = try place.open(connections: connections, clock: clock, onStatement: onStatement)
    }

    deinit {
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
