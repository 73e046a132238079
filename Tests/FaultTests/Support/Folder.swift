import Foundation
import PostgreSQLHarness

/// A folder of one test with the test's database, gone with it.
final class Folder: Sendable {
    let path: String
    /// Empty at first, as an operator makes it.
    let database: TestDatabase

    init() throws {
        path = NSTemporaryDirectory() + "latchkey-faults-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        database = try TestDatabase(in: path, isMigrated: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in it.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
