internal import AccountDatabase
internal import Accounts
internal import Database
internal import JSON
internal import Network
internal import Synchronization
internal import Tokens

/// Writes what the trace gets beside transactions: opened links and refused requests.
///
/// Both are written after the answer, in batches. What a client can cause is bounded. A link counts as opened once in
/// ``LinkOpening/interval``. In each minute the first refusal of a kind gets a row at once, and the others are counted
/// in a second row at the minute's end. The kinds of a minute are at most ``mostKinds``, of one site and of one address
/// at most ``mostOfOne``; refusals beyond them appear only in the log's sums (``FailureTrace``).
final class TraceRecorder: Sendable {
    /// What makes refusals equal, so that they are counted together.
    private struct Refused: Hashable {
        /// The address, or the UID or the link's code for a request that names none.
        let subject: String
        let limit: String
        let site: NetworkPrefix
    }

    /// A row to write.
    private struct Entry {
        var row: TraceEntry
        /// The id of the code in the link whose page asked again; `nil` for other requests.
        ///
        /// The code's row has the address.
        let code: String?
    }

    private struct State {
        var minute: Int64 = 0
        var refused: [Refused: (first: Entry, count: Int64)] = [:]
        var ofOne: [String: Int] = [:]
        var openedAt: [String: Int64] = [:]
        var entries: [Entry] = []
        var openings: [LinkOpening] = []
    }

    private static let minute: Int64 = 60_000
    static let mostKinds = 30
    static let mostOfOne = 3
    /// The maximum number of waiting openings, and of links that the node remembers as opened; more are not written
    /// until there is room.
    private static let mostOpenings = 2000
    /// The maximum number of rows of one transaction.
    private static let largestBatch = 200

    private let database: any Database
    private let flows: AccountFlows
    private let secrets: ServerSecrets
    private let logger: Log
    private let state = Mutex(State())

    init(_ database: any Database, flows: AccountFlows, secrets: ServerSecrets, logger: Log) {
        self.database = database
        self.flows = flows
        self.secrets = secrets
        self.logger = logger
    }

    /// Records that a link was opened.
    ///
    /// - Parameters:
    ///   - code: the id of the link's action code, whose signature is valid.
    ///   - client: the address of the client.
    ///   - device: the description of the device; empty if unknown.
    ///   - looksLikeScanner: whether a program probably opened it.
    ///   - now: milliseconds since 1970.
    func recordOpening(_ code: TokenID, from client: IPAddress, device: String, looksLikeScanner: Bool, at now: Int64) {
        let id = code.text
        state.withLock { state in
            if let last = state.openedAt[id], now - last < LinkOpening.interval { return }
            guard state.openings.count < Self.mostOpenings else { return }
            if state.openedAt.count >= Self.mostOpenings {
                state.openedAt = state.openedAt.filter { now - $0.value < LinkOpening.interval }
                guard state.openedAt.count < Self.mostOpenings else { return }
            }
            state.openedAt[id] = now
            let network = NetworkLabel.make(.site(of: client), secrets)
            let opener = TracedDevice(name: device, network: network)
            state.openings.append(LinkOpening(code: id, device: opener, looksLikeScanner: looksLikeScanner))
        }
    }

    /// Records that a limit refused a request for an e-mail.
    ///
    /// - Parameters:
    ///   - limit: the name of the limit.
    ///   - address: the canonical address that the e-mail was to go to; `nil` if the request does not name it.
    ///   - code: the id of the code in the link whose page asked; `nil` for other requests.
    ///   - kind: the e-mail.
    ///   - client: the address of the client.
    ///   - device: the device that asked; its network label is added.
    ///   - now: milliseconds since 1970.
    func recordRefusal(
        by limit: String,
        of address: String?,
        code: TokenID? = nil,
        kind: MailKind?,
        from client: IPAddress,
        device: TracedDevice,
        at now: Int64
    ) {
        guard let subject = address ?? device.uid ?? code?.text else { return }
        let key = Refused(subject: subject, limit: limit, site: .site(of: client))
        let ones = ["address \(subject)", "site \(key.site)"]
        state.withLock { state in
            Self.turn(&state, at: now)
            if state.refused[key] != nil {
                state.refused[key]?.count += 1
                return
            }
            guard state.refused.count < Self.mostKinds,
                ones.allSatisfy({ state.ofOne[$0, default: 0] < Self.mostOfOne }),
                let request = try? TokenID.random().text
            else { return }
            for one in ones { state.ofOne[one, default: 0] += 1 }
            let entry = TraceEntry(
                .refused,
                of: request,
                address: try? address.map(flows.suppressionKey),
                uid: device.uid,
                kind: kind,
                device: device.name,
                network: NetworkLabel.make(key.site, secrets),
                detail: limit,
                at: now
            )
            let first = Entry(row: entry, code: code?.text)
            state.refused[key] = (first, 1)
            state.entries.append(first)
        }
    }

    /// Writes what was recorded, again and again until its task is cancelled; then what is left.
    ///
    /// - Parameters:
    ///   - interval: the time between two rounds.
    ///   - clock: milliseconds since 1970.
    func run(every interval: Duration, clock: @Sendable () -> Int64) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            await write(at: clock())
        }
        await write(at: .max)
    }

    /// Forgets everything that was not written.
    func reset() {
        state.withLock { $0 = State() }
    }

    private func write(at now: Int64) async {
        let (entries, openings) = state.withLock { state in
            Self.turn(&state, at: now)
            defer { (state.entries, state.openings) = ([], []) }
            return (state.entries, state.openings)
        }
        do {
            for start in stride(from: 0, to: entries.count, by: Self.largestBatch) {
                let batch = entries[start..<min(start + Self.largestBatch, entries.count)]
                try await database.lease(kind: "Trace") { transaction in
                    for entry in batch { try transaction.trace(self.addressed(entry, in: transaction)) }
                }
            }
            for start in stride(from: 0, to: openings.count, by: Self.largestBatch) {
                let batch = openings[start..<min(start + Self.largestBatch, openings.count)]
                try await database.lease(kind: "Trace") { transaction in
                    for opening in batch { try transaction.trace(opening) }
                }
            }
        } catch {
            logger("trace.not-recorded", ("reason", .string("\(error)")))
        }
    }

    /// The row, with the address that only the link's code tells.
    private func addressed(_ entry: Entry, in transaction: Transaction) throws -> TraceEntry {
        guard let code = entry.code, let email = try transaction.actionCode(code)?.email else { return entry.row }
        var row = entry.row
        row.address = try flows.suppressionKey(of: email)
        return row
    }

    /// If the counted minute has ended, adds a row for the refusals that have none, and begins the minute of `now`.
    private static func turn(_ state: inout State, at now: Int64) {
        let minute = now / Self.minute
        guard state.minute < minute else { return }
        for (first, count) in state.refused.values where count > 1 {
            var rest = first
            rest.row.occurrences = count - 1
            // The last moment of the minute that is counted.
            rest.row.at = (first.row.at ?? 0) / Self.minute * Self.minute + Self.minute - 1
            state.entries.append(rest)
        }
        state.minute = minute
        state.refused = [:]
        state.ofOne = [:]
    }
}

extension Services {
    /// Writes into the trace that a limit refused a request for an e-mail, if that is why it was refused.
    ///
    /// A demanded proof of work is no refusal: clients solve it and ask again.
    func traceRefusal(
        _ refusal: Refusal,
        of address: String?,
        code: TokenID? = nil,
        kind: MailKind?,
        uid: String? = nil,
        device: String,
        from client: IPAddress
    ) {
        guard let limit = refusal.limit, limit != "challenge" else { return }
        traces.recordRefusal(
            by: limit,
            of: address,
            code: code,
            kind: kind,
            from: client,
            device: TracedDevice(uid: uid, name: device),
            at: clock()
        )
    }
}
