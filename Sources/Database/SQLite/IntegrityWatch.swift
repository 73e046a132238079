internal import Glibc

/// Checks the database file for destroyed pages while the server runs, on its own thread.
///
/// SQLite notices a destroyed page only when it reads that page. Pages of users who do not return stay unread, so a
/// damaged file can be in service for a long time without an error. Each check reads the whole file. The thread then
/// pauses at least a hundred times as long as the check took, so that checks use at most about one percent of one
/// processor.
final class IntegrityWatch: Sendable {
    private struct State {
        var isClosed = false
    }

    /// The size in bytes of the largest file to check.
    ///
    /// Checks of larger files would take seconds and displace the system's cache, so they are left to a manual `PRAGMA
    /// quick_check`.
    private static let largestFile: Int64 = 256 << 20

    private let configuration: SQLiteConfiguration
    private let monitor = Monitor(State())

    init(_ configuration: SQLiteConfiguration) {
        self.configuration = configuration
    }

    /// Ends ``run()``.
    func stop() {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
    }

    /// Runs until stopped or until damage is found, as the body of the thread.
    func run() {
        var pause = configuration.integrityInterval
        while monitor.wait(milliseconds: pause, for: { $0.isClosed ? true : nil }) == nil {
            let began = Deadline.now
            do throws(DatabaseError) {
                if FileSystem.size(configuration.path) <= Self.largestFile { try check() }
            } catch {
                configuration.health.record(error)
                // A check that could not run proves nothing, and the next one may succeed.
                guard error.kind != .corrupt else { return configuration.onEvent(.damaged(error)) }
            }
            pause = max(configuration.integrityInterval, Int(clamping: 100 * (Deadline.now - began)))
        }
    }

    private func check() throws(DatabaseError) {
        // A separate connection, whose cache starts empty.
        let connection = try SQLiteConnection.open(configuration, as: .reader)
        defer { connection.close() }
        guard try connection.value("PRAGMA quick_check(1)") == "ok" else {
            throw DatabaseError(.corrupt, message: "the file has damaged pages")
        }
    }
}
