internal import CSQLite
internal import Synchronization

/// Copies the write-ahead log back into the database file, on its own thread and connection.
///
/// Without this thread, SQLite would copy the log inside an arbitrary commit. With passive checkpoints alone, the log
/// of a busy database would never restart, because new pages arrive all the time. If the log is longer than a limit,
/// the writer therefore waits until the checkpoint finishes.
final class Checkpointer: Sendable {
    private struct State {
        var isWanted = false
        var isClosed = false
        var lastCommits = 0
    }

    private enum Wake { case wanted, interval, closed }

    private let connection: SQLiteConnection
    private let writer: SQLiteWriter
    private let log: LogMeter
    private let policy: CheckpointPolicy
    private let onEvent: @Sendable (DatabaseEvent) -> Void
    private let monitor = Monitor(State())

    init(connection: SQLiteConnection, writer: SQLiteWriter, log: LogMeter, configuration: SQLiteConfiguration) {
        self.connection = connection
        self.writer = writer
        self.log = log
        policy = configuration.checkpoints
        onEvent = configuration.onEvent
    }

    /// Requests a checkpoint soon.
    ///
    /// Can be called from any thread.
    func want() {
        let isNew = monitor.withLock { state in
            defer { state.isWanted = true }
            return !state.isWanted
        }
        if isNew { monitor.wakeOne() }
    }

    /// Ends ``run()``.
    func stop() {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
    }

    /// Makes checkpoints on request and at an interval until stopped, as the body of the thread.
    func run() {
        while true {
            let wake = monitor.wait(milliseconds: policy.interval) { state -> Wake? in
                if state.isClosed { return .closed }
                guard state.isWanted else { return nil }
                state.isWanted = false
                return .wanted
            }
            if wake == .closed { return }
            do {
                try checkpoint(isQuiet: wake == nil && isQuiet())
            } catch {
                connection.health.record(error)
                onEvent(.checkpointFailed(error))
                // An immediate retry does not help on a full disk. The next commit or the interval tries again.
            }
        }
    }

    private func checkpoint(isQuiet: Bool) throws(DatabaseError) {
        var (pages, copied) = try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        // Two more passes for what was written meanwhile: once the whole log is copied, the next commit restarts it.
        for _ in 0..<2 where copied < pages && pages >= policy.softLimit {
            (pages, copied) = try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        }
        if pages > policy.hardLimit {
            try restart(SQLITE_CHECKPOINT_RESTART)
        } else if isQuiet, Int64(pages) * 4096 > policy.idleLimit || connection.logSize() > policy.idleLimit {
            try restart(SQLITE_CHECKPOINT_TRUNCATE)
        }
    }

    /// Blocks the writer while a checkpoint copies the rest of the log, and lets the log restart or truncates it.
    ///
    /// If a reader or another process still uses the log, does nothing, and the next checkpoint tries again.
    private func restart(_ mode: Int32) throws(DatabaseError) {
        do {
            try writer.gate.withLock { _ throws(DatabaseError) in _ = try connection.checkpoint(mode) }
        } catch  where error.kind == .busy {
            return
        }
    }

    /// Whether no commit happened since the last call.
    private func isQuiet() -> Bool {
        let commits = log.commits
        return monitor.withLock { state in
            defer { state.lastCommits = commits }
            return state.lastCommits == commits
        }
    }
}

extension SQLiteConnection {
    /// Copies pages of the log into the database file.
    ///
    /// - Parameter mode: how far the checkpoint goes, one of SQLite's `SQLITE_CHECKPOINT_…`.
    /// - Returns: the number of pages in the log, and how many of them are copied.
    /// - Throws: `busy` when other connections kept the checkpoint from completing its mode.
    func checkpoint(_ mode: Int32) throws(DatabaseError) -> (pages: Int, copied: Int) {
        try unsafe withHandle { handle throws(DatabaseError) in
            var pages: Int32 = 0
            var copied: Int32 = 0
            let code = unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode, &pages, &copied)
            // A passive checkpoint during another process's checkpoint returns BUSY. That process does the work.
            guard code == SQLITE_OK || (mode == SQLITE_CHECKPOINT_PASSIVE && code & 0xff == SQLITE_BUSY) else {
                throw .sqlite(handle, code: code)
            }
            return (max(0, Int(pages)), max(0, Int(copied)))
        }
    }

    /// Returns the size of the write-ahead log's file in bytes, 0 if there is none.
    func logSize() -> Int64 {
        let path = try? unsafe withHandle { handle throws(DatabaseError) in
            unsafe sqlite3_db_filename(handle, "main").map { unsafe String(cString: $0) }
        }
        return (path ?? nil).map { FileSystem.size($0 + "-wal") } ?? 0
    }
}
