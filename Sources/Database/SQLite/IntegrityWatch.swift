internal import Glibc

/// Looks for destroyed pages of the file while the server runs, on a thread of its own.
///
/// SQLite notices a destroyed page when it next reads that page. Pages of users who do not come back stay unread, so that a
/// damaged file can serve for a long time without an error. Each check reads the whole file; the thread pauses a hundred times
/// as long as the last check took, so that checks take about a hundredth of one processor.
final class IntegrityWatch: Sendable {
    private struct State {
        var isClosed = false
    }

    /// Larger files are left to `PRAGMA quick_check` by hand: their checks would take seconds and displace the system's cache.
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

    /// Works until stopped, or until damage was found.
    ///
    /// The thread's body.
    func run() {
        var pause = configuration.integrityInterval
        while monitor.wait(milliseconds: pause, for: { $0.isClosed ? true : nil }) == nil {
            let began = Deadline.now
            do throws(DatabaseError) {
                if FileSystem.size(configuration.path) <= Self.largestFile { try check() }
            } catch {
                configuration.health.note(error)
                // A check that could not run says nothing, and the next one may.
                guard error.kind != .corrupt else { return configuration.onEvent(.damaged(error)) }
            }
            pause = max(configuration.integrityInterval, Int(clamping: 100 * (Deadline.now - began)))
        }
    }

    private func check() throws(DatabaseError) {
        // A connection of its own, whose cache starts empty.
        let connection = try SQLiteConnection.open(configuration, as: .reader)
        defer { connection.close() }
        guard try connection.value("PRAGMA quick_check(1)") == "ok" else {
            throw DatabaseError(.corrupt, message: "the file has destroyed pages")
        }
    }
}
