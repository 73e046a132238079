internal import CSQLite
internal import Synchronization

/// Brings the write-ahead log back into the database file, on a thread and connection of its own.
///
/// SQLite would do it inside some unlucky commit. Left to passive checkpoints alone, though, the log of a busy database never
/// starts anew, since pages were written in the meantime each time; so beyond a limit the writer waits at its gate for the rest.
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

    /// Asks for a checkpoint soon.
    ///
    /// Any thread may.
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

    /// Works until stopped.
    ///
    /// The thread's body.
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
                connection.health.note(error)
                onEvent(.checkpointFailed(error))
                // A full disk does not get better by trying at once: the next commit asks again, at the latest the clock.
            }
        }
    }

    private func checkpoint(isQuiet: Bool) throws(DatabaseError) {
        var (pages, copied) = try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        if pages > policy.hardLimit {
            // Twice more, so that few pages are left for which the writer has to wait.
            for _ in 0..<2 where pages - copied > 100 {
                (pages, copied) = try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            }
            try restart(SQLITE_CHECKPOINT_RESTART)
        } else if isQuiet, Int64(pages) * 4096 > policy.idleLimit || connection.logSize() > policy.idleLimit {
            try restart(SQLITE_CHECKPOINT_TRUNCATE)
        }
    }

    /// Holds the writer up for the rest of the log.
    ///
    /// A reader that is still in it, or another process, means: next time.
    private func restart(_ mode: Int32) throws(DatabaseError) {
        do {
            try writer.gate.withLock { _ throws(DatabaseError) in _ = try connection.checkpoint(mode) }
        } catch  where error.kind == .busy {
            return
        }
    }

    /// Whether nothing was written since the last time.
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
    /// - Returns: pages in the log, and how many of them are copied.
    /// - Throws: `busy` when others kept it from finishing what the mode demands.
    func checkpoint(_ mode: Int32) throws(DatabaseError) -> (pages: Int, copied: Int) {
        try unsafe withHandle { handle throws(DatabaseError) in
            var pages: Int32 = 0
            var copied: Int32 = 0
            let code = unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode, &pages, &copied)
            // A passive checkpoint next to another process's answers BUSY: that one does the work.
            guard code == SQLITE_OK || (mode == SQLITE_CHECKPOINT_PASSIVE && code & 0xff == SQLITE_BUSY) else {
                throw .sqlite(handle, code: code)
            }
            return (max(0, Int(pages)), max(0, Int(copied)))
        }
    }

    /// Size of the log's file in bytes, 0 if there is none.
    func logSize() -> Int64 {
        let path = try? unsafe withHandle { handle throws(DatabaseError) in
            unsafe sqlite3_db_filename(handle, "main").map { unsafe String(cString: $0) }
        }
        return (path ?? nil).map { FileSystem.size($0 + "-wal") } ?? 0
    }
}
