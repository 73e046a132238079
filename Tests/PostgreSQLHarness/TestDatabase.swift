internal import Foundation

/// The database of a test, on the engine that this run of the tests is about.
///
/// `LATCHKEY_TEST_ENGINE=postgresql` is what `Scripts/test-swift` sets for the second run of the targets that store anything.
package final class TestDatabase: Sendable {
    /// What a run of the tests stores on.
    package enum Engine: String, Sendable, CaseIterable {
        case sqlite
        case postgreSQL = "postgresql"

        /// The engine of this run.
        package static let current =
            ProcessInfo.processInfo.environment["LATCHKEY_TEST_ENGINE"].flatMap(Engine.init) ?? .sqlite
    }

    /// As the setting `database` has it.
    package let url: String

    /// Makes a new one.
    ///
    /// - Parameter folder: where a file goes.
    package init(in folder: String, engine: Engine = .current) throws {
        url =
            switch engine {
            case .sqlite: "sqlite:\(folder)/latchkey.db"
            case .postgreSQL: try PostgreSQLServer.shared.get().makeDatabase()
            }
    }

    deinit {
        // A file goes with its folder.
        if !url.hasPrefix("sqlite:") { try? PostgreSQLServer.shared.get().removeDatabase(url) }
    }
}
