internal import Accounts
internal import Database
internal import JSON
internal import Synchronization

/// Keeps the last free space of the disk for sign-ins, refreshes and e-mails: below a mark documents are refused, below half of
/// it new guests too.
final class StorageReserve: Sendable {
    private enum Level: String {
        case enough, low, scarce
    }

    private struct State {
        var readAt: ContinuousClock.Instant?
        var level = Level.enough
    }

    private let database: any Database
    private let mark: Int64
    private let logger: Log
    private let state = Mutex(State())

    /// - Parameters:
    ///   - database: whose disk it is about; one on another machine never runs low here.
    ///   - mark: free space in bytes; 0 for none.
    ///   - logger: told when the disk runs low and when it has space again.
    init(_ database: any Database, mark: Int, logger: Log) {
        self.database = database
        self.mark = Int64(mark)
        self.logger = logger
    }

    /// - Throws: ``Refusal`` STORAGE_LOW below the mark.
    func checkDocuments() throws {
        guard level() == .enough else { throw Refusal(.storageLow, retryAfter: 30) }
    }

    /// - Throws: ``Refusal`` STORAGE_LOW below half of the mark.
    func checkGuests() throws {
        guard level() != .scarce else { throw Refusal(.storageLow, retryAfter: 30) }
    }

    /// Reads the free space once a second at most.
    private func level() -> Level {
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
