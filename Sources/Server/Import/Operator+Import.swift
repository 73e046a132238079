internal import Accounts
internal import Database
internal import JSON

/// How far an import or an export has come.
package struct TransferProgress: Sendable {
    /// Users so far.
    package let users: Int
    /// Bytes of the file so far.
    package let bytes: Int
}

extension Operator {
    /// Imports the users of a file that `firebase auth:export` wrote, JSON or CSV.
    ///
    /// The file is read in pieces, so that its length does not matter, and its users are stored in short transactions, the next
    /// of which is read meanwhile. What was stored stays, whatever happens to the rest of the file; users who are here already
    /// stay as they are, so that an import may be repeated.
    ///
    /// - Parameters:
    ///   - replaces: whether users who are here already are replaced instead, and those come again who were deleted.
    ///   - takesGuests: whether users without any credential are guests.
    ///   - read: the next piece of the file; empty at its end.
    ///   - progress: told after each transaction.
    /// - Returns: what came of it. Its `stopped` says where the file could not be read any further.
    /// - Throws: what `read` throws, or what keeps the database from working.
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

    /// Where and why the file itself cannot be read any further; `nil` for other errors.
    private static func reason(_ error: any Error) -> String? {
        switch error {
        case let error as JSONStreamError:
            switch error.kind {
            case .unexpectedEnd: "the file ends inside user \(error.elements + 1), at byte \(error.offset)"
            case .unexpectedByte: "the file is no JSON behind user \(error.elements), at byte \(error.offset)"
            case .elementTooLong:
                "user \(error.elements + 1), at byte \(error.offset), is longer than any user can be"
            case .noArray: "the file has no list of users"
            }
        case ExportCSV.Failure.unexpectedEnd(let line): "the file ends inside line \(line), which has no line break"
        case ExportCSV.Failure.lineTooLong(let line): "line \(line) is longer than any user's can be"
        case let fault as ImportFault: fault.text
        default: nil
        }
    }
}

/// An import at work: one batch is stored while the next one is read.
private struct ImportRun {
    private struct Batch {
        var users: [ImportedUser] = []
        var places: [String] = []
    }

    /// What a transaction tells.
    private struct Stored: Sendable {
        let outcomes: [ImportOutcome]
        let begun: ContinuousClock.Instant
        /// How long it held the writer.
        let took: Duration
    }

    /// A batch on its way.
    private struct Underway {
        let batch: Batch
        let asked: ContinuousClock.Instant
        let answer: Handover<(result: Result<Stored, any Error>, at: ContinuousClock.Instant)>
    }

    let database: any Database
    let flows: AccountFlows
    let options: ImportOptions
    var report = ImportReport()
    private var next = Batch()
    private var underway: Underway?
    private var pace = ImportPace()

    /// What a batch waits for the writer's thread where nobody else writes.
    private static let unnoticed = Duration.milliseconds(2)

    init(database: any Database, flows: AccountFlows, options: ImportOptions) {
        self.database = database
        self.flows = flows
        self.options = options
    }

    /// Takes a user.
    ///
    /// - Returns: whether a batch was stored.
    mutating func take(_ entry: ImportFile.Entry) throws -> Bool {
        report.noteRead()
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

    /// Stores what is left, and waits for it.
    mutating func finish() throws {
        try store()
        try settle()
    }

    /// Has the batch stored, once the one before it is.
    private mutating func store() throws {
        try settle()
        guard !next.users.isEmpty else { return }
        let (users, flows, options) = (next.users, flows, options)
        let underway = Underway(batch: next, asked: .now, answer: Handover())
        database.write(#fileID, alone: true) { transaction in
            let begun = ContinuousClock.now
            let outcomes = try flows.importUsers(users, options, in: transaction)
            return Stored(outcomes: outcomes, begun: begun, took: .now - begun)
        } completion: { result in
            underway.answer.give((result, .now))
        }
        self.underway = underway
        next = Batch()
    }

    /// Waits until the batch before is stored, and leaves others a gap to write in.
    private mutating func settle() throws {
        guard let underway else { return }
        self.underway = nil
        let (result, settledAt) = underway.answer.take()
        let stored = try result.get()
        for (index, outcome) in stored.outcomes.enumerated() {
            report.note(outcome, of: underway.batch.users[index], at: underway.batch.places[index])
        }
        pace.note(stored.took, for: stored.outcomes.count)
        report.noteHold(settledAt - stored.begun)
        // A server that writes to the same file tries now and then whether it may. Where one was at work just now, it gets as
        // long as this batch took.
        let gap = stored.begun - underway.asked > Self.unnoticed ? stored.took : stored.took / 4
        Pause.make(gap - (.now - settledAt))
    }
}
