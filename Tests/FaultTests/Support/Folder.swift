import Foundation
import PostgreSQLHarness

/// The folder of one test with the test's database; both are deleted with it.
final class Folder: Sendable {
    let path: String
    /// Empty at first, as an operator creates it.
    let database: TestDatabase

    init() throws {
        path = NSTemporaryDirectory() + "latchkey-faults-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        database = try TestDatabase(in: path, isMigrated: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of an item in the folder.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
