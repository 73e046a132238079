import Accounts
import Mail
import Synchronization

/// The database is unavailable.
struct Away: Error {}

/// An outbox in memory with the rules of the real one: leases expire, and only the lease holder may record an outcome.
final class MemoryOutbox: Outbox {
    struct Entry: Sendable {
        var payload: MailPayload
        var attempts = 0
        var dueAt: ContinuousClock.Instant
        var leasedTo: String?
        var leasedUntil: ContinuousClock.Instant
        var result: MailOutcome.Result?
    }

    struct State: Sendable {
        var entries: [Int64: Entry] = [:]
        var history: [MailOutcome] = []
        var records = 0
        /// The number of following calls of `record` that fail.
        var recordingFails = 0
        var decisions: [Int64: MailPreparation] = [:]
        /// Whether the outbox no longer answers.
        var isAway = false
        /// The worker whose calls wait, and then fail.
        var cutOff: String?
        var renewals = 0
        /// The maximum number of e-mails leased at once.
        var mostInHand = 0
    }

    let state = Mutex(State())

    /// Queues e-mails that are due at once.
    func add(_ payloads: [MailPayload]) {
        state.withLock { state in
            for payload in payloads {
                state.entries[Int64(state.entries.count + 1)] = Entry(
                    payload: payload,
                    dueAt: .now,
                    leasedTo: nil,
                    leasedUntil: .now
                )
            }
        }
    }

    func lease(limit: Int, worker: String, milliseconds: Int64, takingOver: Bool) async throws -> [LeasedMail] {
        try await reach(by: worker)
        return try state.withLock { state in
            if state.isAway { throw Away() }
            let now = ContinuousClock.now
            let due = state.entries.filter {
                $0.value.result == nil && $0.value.dueAt <= now && $0.value.leasedUntil <= now
                    && (takingOver || $0.value.leasedTo == nil)
            }
            let taken = due.sorted { ($0.value.dueAt, $0.key) < ($1.value.dueAt, $1.key) }.prefix(limit)
            for (id, _) in taken {
                state.entries[id]?.leasedTo = worker
                state.entries[id]?.leasedUntil = now + .milliseconds(milliseconds)
            }
            let inHand = state.entries.values.count { $0.result == nil && $0.leasedTo != nil }
            state.mostInHand = max(state.mostInHand, inHand)
            return taken.map { id, entry in
                LeasedMail(id: id, attempts: entry.attempts, queued: QueuedMail(entry.payload, id: id))
            }
        }
    }

    func renew(_ mails: [Int64], worker: String, milliseconds: Int64) async throws -> [Int64] {
        try await reach(by: worker)
        return try state.withLock { state in
            if state.isAway { throw Away() }
            state.renewals += 1
            return mails.filter { id in
                guard let entry = state.entries[id], entry.leasedTo == worker, entry.result == nil else { return false }
                state.entries[id]?.leasedUntil = .now + .milliseconds(milliseconds)
                return true
            }
        }
    }

    func prepare(_ mails: [LeasedMail], worker: String) async throws -> [MailPreparation] {
        state.withLock { state in
            mails.map { mail in
                state.decisions[mail.id] ?? state.entries[mail.id].map { .send($0.payload) } ?? .moot
            }
        }
    }

    func record(_ outcomes: [MailOutcome], worker: String) async throws {
        try await reach(by: worker)
        try state.withLock { state in
            if state.isAway { throw Away() }
            guard state.recordingFails == 0 else {
                state.recordingFails -= 1
                throw Away()
            }
            state.records += 1
            for outcome in outcomes where state.entries[outcome.id]?.leasedTo == worker {
                state.history.append(outcome)
                state.entries[outcome.id]?.leasedTo = nil
                state.entries[outcome.id]?.leasedUntil = .now
                switch outcome.result {
                case .sent, .moot, .blocked, .failed, .noMailbox: state.entries[outcome.id]?.result = outcome.result
                case .released: break
                case .retry(let milliseconds, let isCounted, _):
                    state.entries[outcome.id]?.dueAt = .now + .milliseconds(milliseconds)
                    if isCounted { state.entries[outcome.id]?.attempts += 1 }
                }
            }
        }
    }

    /// Waits until a worker gets answers again.
    ///
    /// - Throws: ``Away`` if it had to wait.
    private func reach(by worker: String) async throws {
        guard state.withLock({ $0.cutOff == worker }) else { return }
        while state.withLock({ $0.cutOff == worker }) { try await Task.sleep(for: .milliseconds(5)) }
        throw Away()
    }

    /// The number of e-mails with a result.
    var done: Int { state.withLock { $0.entries.count { $0.value.result != nil } } }

    /// The maximum number of e-mails leased at once, including those whose outcome is being recorded.
    var mostInHand: Int { state.withLock { $0.mostInHand } }

    func result(_ id: Int64) -> MailOutcome.Result? { state.withLock { $0.entries[id]?.result } }

    func attempts(_ id: Int64) -> Int { state.withLock { $0.entries[id]?.attempts ?? 0 } }

    /// Waits until all e-mails have a result; false if that takes too long.
    func allDone(within limit: Duration = .seconds(20 * patience)) async -> Bool {
        await waits(within: limit) { $0.entries.allSatisfy { $0.value.result != nil } }
    }

    /// Waits until at least so many e-mails have a result; false if that takes too long.
    ///
    /// The delivery logs an e-mail as sent before it records that.
    func waits(forDone count: Int) async -> Bool {
        await waits { $0.entries.count { $0.value.result != nil } >= count }
    }

    private func waits(
        within limit: Duration = .seconds(20 * patience),
        until isReached: (State) -> Bool
    ) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if state.withLock({ isReached($0) }) { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}

extension QueuedMail {
    /// Makes the e-mail of a payload, with the parts that the delivery reads.
    fileprivate init(_ payload: MailPayload, id: Int64) {
        self.init(
            id: "mail-\(id)",
            kind: payload.kind,
            to: payload.to,
            locale: payload.locale,
            queuedAt: payload.queuedAt
        )
    }
}
