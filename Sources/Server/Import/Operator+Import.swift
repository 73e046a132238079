internal import Accounts
internal import Database
internal import JSON

/// The progress of an import or an export.
package struct TransferProgress: Sendable {
    /// The number of users read or written so far.
    package let users: Int
    /// The number of bytes of the file read or written so far.
    package let bytes: Int
    /// The number of users in the end, about; `nil` if it is unknown.
    package var total: Int?
}

extension Operator {
    /// Imports the users of a file that `firebase auth:export` wrote, JSON or CSV.
    ///
    /// The file is read in pieces, so its length does not matter. Its users are stored in short transactions, while the
    /// users of the next one are read. Stored users stay, whatever happens to the rest of the file. Existing users are
    /// left unchanged, so an import may be repeated.
    ///
    /// - Parameters:
    ///   - replaces: whether to replace existing users instead, and to create deleted users again.
    ///   - takesGuests: whether users without any credential become guests; otherwise they become permanent users.
    ///   - read: returns the next piece of the file; empty at its end.
    ///   - progress: called after each transaction.
    /// - Returns: the report. Its `stopped` says where the file could not be read any further.
    /// - Throws: what `read` throws, or the error that keeps the database from working.
    package func importUsers(
        replaces: Bool,
        takesGuests: Bool,
        read: () throws -> [UInt8],
        progress: (TransferProgress) -> Void
    ) throws -> ImportReport {
        var options = ImportOptions()
        options.existing = replaces ? .replace : .keep
        options.takesGuests = takesGuests
        options.presumesEmailLinks = true
        var file = ImportFile()
        var run = ImportRun(database: store.database, flows: flows, options: options)
        var bytes = 0
        do {
            while true {
                let piece = try read()
                guard !piece.isEmpty else { break }
                bytes += piece.count
                try file.read(piece) { entry in
                    if try run.take(entry) { progress(TransferProgress(users: run.report.read, bytes: bytes)) }
                }
            }
            try file.finish()
        } catch {
            guard let reason = Self.reason(error) else { throw error }
            try run.finish()
            run.report.stop(reason)
            return run.report
        }
        try run.finish()
        progress(TransferProgress(users: run.report.read, bytes: bytes))
        return run.report
    }

    /// Returns why the file itself cannot be read any further, and where; `nil` for other errors.
    private static func reason(_ error: any Error) -> String? {
        switch error {
        case let error as JSONStreamError:
            switch error.kind {
            case .unexpectedEnd: "the file ends inside user \(error.elements + 1), at byte \(error.offset)"
            case .unexpectedByte: "the file is not JSON after user \(error.elements), at byte \(error.offset)"
            case .elementTooLong:
                "user \(error.elements + 1), at byte \(error.offset), is too long for a user"
            case .noArray: "the file has no list of users"
            }
        case ExportCSV.Failure.unexpectedEnd(let line): "the file ends inside line \(line), which has no line break"
        case ExportCSV.Failure.lineTooLong(let line): "line \(line) is too long for a user"
        case let fault as ImportFault: fault.text
        default: nil
        }
    }
}

/// A running import, which stores one batch while it reads the next.
private struct ImportRun {
    private struct Batch {
        var users: [ImportedUser] = []
        var places: [String] = []
    }

    /// The result of a transaction.
    private struct Stored: Sendable {
        let outcomes: [ImportOutcome]
        let begun: ContinuousClock.Instant
        /// How long the transaction occupied the writer, without its commit.
        let took: Duration
    }

    /// A batch that is being stored.
    private struct Underway {
        let batch: Batch
        let asked: ContinuousClock.Instant
        let answer: BlockingResult<(result: Result<Stored, any Error>, at: ContinuousClock.Instant)>
    }

    let database: any Database
    let flows: AccountFlows
    let options: ImportOptions
    var report = ImportReport()
    private var next = Batch()
    private var underway: Underway?
    private var pace = ImportPace()

    /// The longest time that a batch waits for the writer's thread when there is no other writer.
    private static let unnoticed = Duration.milliseconds(2)

    init(database: any Database, flows: AccountFlows, options: ImportOptions) {
        self.database = database
        self.flows = flows
        self.options = options
    }

    /// Adds a user to the next batch.
    ///
    /// - Returns: whether the batch was full, so that storing it has begun.
    mutating func take(_ entry: ImportFile.Entry) throws -> Bool {
        report.recordRead()
        switch entry.user {
        case .success(let user):
            next.users.append(user)
            next.places.append(entry.place)
        case .failure(let fault): report.refuse(fault, at: entry.place)
        }
        guard next.users.count >= pace.size else { return false }
        try store()
        return true
    }

    /// Stores the remaining users, and waits until that is done.
    mutating func finish() throws {
        try store()
        try finishBatch()
    }

    /// Starts to store the batch, after the previous one is stored.
    private mutating func store() throws {
        try finishBatch()
        guard !next.users.isEmpty else { return }
        let (users, flows, options) = (next.users, flows, options)
        let underway = Underway(batch: next, asked: .now, answer: BlockingResult())
        database.write("ImportUsers", alone: true) { transaction in
            let begun = ContinuousClock.now
            let outcomes = try flows.importUsers(users, options, in: transaction)
            return Stored(outcomes: outcomes, begun: begun, took: .now - begun)
        } completion: { result in
            underway.answer.give((result, .now))
        }
        self.underway = underway
        next = Batch()
    }

    /// Waits until the previous batch is stored, and leaves a gap for other writers.
    private mutating func finishBatch() throws {
        guard let underway else { return }
        self.underway = nil
        let (result, finishedAt) = underway.answer.take()
        let stored = try result.get()
        for (index, outcome) in stored.outcomes.enumerated() {
            report.record(outcome, of: underway.batch.users[index], at: underway.batch.places[index])
        }
        pace.record(stored.took, for: stored.outcomes.count)
        report.recordLock(finishedAt - stored.begun)
        // A server that writes to the same file polls for the lock. If a server was writing just now, it gets as much
        // time as this batch took.
        let gap = stored.begun - underway.asked > Self.unnoticed ? stored.took : stored.took / 4
        Pause.make(gap - (.now - finishedAt))
    }
}
