internal import Accounts
internal import Database
internal import JSON
internal import Synchronization

/// Reserves the last free space of the disk for sign-ins, refreshes and e-mails.
///
/// If less space is free than a configured mark, writes of documents are refused; below half of the mark, also new
/// guests.
final class StorageReserve: Sendable {
    private enum Level: String {
        case enough, low, scarce
    }

    private struct State {
        var readAt: ContinuousClock.Instant?
        var level = Level.enough
    }

    private let database: any Database
    private let mark: Atomic<Int64>
    private let logger: Log
    private let state = Mutex(State())

    /// Makes a reserve, which reads the free space when a call asks.
    ///
    /// - Parameters:
    ///   - database: the database whose disk is watched. One that does not know its free space, such as PostgreSQL,
    ///     never runs low.
    ///   - mark: the free space in bytes below which documents are refused; 0 turns the reserve off.
    ///   - logger: logs when the disk runs low and when it has space again.
    init(_ database: any Database, mark: Int, logger: Log) {
        self.database = database
        self.mark = Atomic(Int64(mark))
        self.logger = logger
    }

    /// Uses another mark from now on.
    func use(mark: Int) {
        self.mark.store(Int64(mark), ordering: .relaxed)
    }

    /// Refuses writes of documents while space is low.
    ///
    /// - Throws: ``Refusal`` STORAGE_LOW below the mark.
    func checkDocuments() throws {
        guard level() == .enough else { throw Refusal(.storageLow, retryAfter: 30) }
    }

    /// Returns the refusal of new guests, STORAGE_LOW, below half of the mark; otherwise `nil`.
    func refusalOfGuests() -> Refusal? {
        level() == .scarce ? Refusal(.storageLow, retryAfter: 30) : nil
    }

    /// Returns how much space is free, read at most once a second, and logs a change.
    private func level() -> Level {
        let mark = mark.load(ordering: .relaxed)
        guard mark > 0 else { return .enough }
        let now = ContinuousClock.now
        let (level, isNews) = state.withLock { state in
            if let readAt = state.readAt, now - readAt < .seconds(1) { return (state.level, false) }
            let before = state.level
            state.readAt = now
            let free = database.freeSpace ?? .max
            state.level = free >= mark ? .enough : free >= mark / 2 ? .low : .scarce
            return (state.level, state.level != before)
        }
        if isNews { logger("storage", ("level", .string(level.rawValue)), ("setting", "storage.lowMark")) }
        return level
    }
}
