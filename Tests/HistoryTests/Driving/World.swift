import Accounts
import Foundation
import PostgreSQLHarness
import Server
import Synchronization

@testable import AccountDatabase
@testable import Database

/// Two nodes on one new PostgreSQL database, and a model of it on SQLite.
final class World: Sendable {
    let nodes: [Node]
    let model: Node
    /// The test's own connections to the server.
    let observer: any Database
    let clock = SetClock()
    let mix: OperationMix
    let policy: Policy
    private let pauses: Pauses
    private let folder: String
    private let places: [TestDatabase]
    /// The connection by which a node of the current version notices one of the version before.
    private let sign: Mutex<PostgreSQLConnection?>

    /// The versions of the two nodes.
    enum Versions: Sendable {
        case current
        /// One node is of the version before, as in an upgrade.
        case mixed
        /// One node is of the version before, and the other does not notice it.
        case mixedUnnoticed
    }

    /// The locks and checks that a node of the version before does without.
    ///
    /// Without the check of the time, a session may count as revoked from its beginning. Where the record of sign-ins only
    /// locks the users, as in the version before, a deletion that began earlier leaves what was recorded meanwhile. Where the
    /// end of a session does not rewrite the user, a merge by that session may be committed after it. A takeover may have a
    /// time before a recovery code. Two nodes of the version before have these faults, too, so the node keeps these
    /// protections.
    private static let newProtections = Set(Transaction.protections).subtracting(Transaction.contestedKeys)
        .subtracting([
            Transaction.laterRevocation, Transaction.laterTakeover, RowLock.recordedUsers.name,
            RowLock.ownerOfEndedSession.name,
        ])
    /// The number of operations in progress at a time.
    static let concurrency = 8
    /// The number of connections that lock rows for moments.
    private static let holders = 2

    /// - Parameters:
    ///   - seed: determines the operations and pauses.
    ///   - omitted: the names of the protections that both nodes do without.
    ///   - versions: the versions of the two nodes.
    init(seed: UInt64, without omitted: Set<String> = [], versions: Versions = .current) throws {
        folder = NSTemporaryDirectory() + "latchkey-history-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let server = try TestDatabase(in: folder, engine: .postgreSQL)
        let file = try TestDatabase(in: folder, engine: .sqlite)
        places = [server, file]
        var policy = Policy()
        policy.sessionsPerUser = 3
        policy.documents.guestMaxCount = 3
        policy.documents.maxCount = 4
        policy.mailsPerAddress = .hourly(20)
        policy.mailsPerAddressDaily = .daily(300)
        policy.wrongAddressesPerLink = 3
        self.policy = policy
        let clock = clock
        let pauses = Pauses(seed: seed)
        self.pauses = pauses
        observer = try server.open(connections: Self.holders + 1, clock: { clock.now })
        sign = Mutex(versions == .mixed ? try Self.announceOlderNode(of: server, over: observer) : nil)
        nodes = try (0..<2).map { number in
            let isOlder = number == 0 && versions != .current
            let database = try server.open(
                connections: Self.concurrency / 2,
                // Longer than usual, so that most transactions see the end of their wait, and the server notices deadlocks.
                lockTimeout: 400,
                clock: { clock.uniqueNow() },
                omittedProtections: isOlder ? Self.newProtections : omitted
            ) { (statement) throws(DatabaseError) in
                let pause = pauses.before(statement)
                if pause > 0 { usleep(pause) }
            }
            return try Node(database, policy: policy, isOlder: isOlder) { clock.now }
        }
        model = try Node(try file.open(clock: { clock.now }), policy: policy) { clock.now }
        mix = OperationMix(known: Known(), seed: seed)
        try observer.writeNow { transaction in
            _ = try transaction.execute(
                "CREATE TABLE history (operation BIGINT, attempt BIGINT, xact XID)"
            )
        }
    }

    /// Makes the database look as if it had been upgraded while a node of the version before goes on.
    private static func announceOlderNode(
        of server: TestDatabase,
        over observer: any Database
    ) throws -> sending PostgreSQLConnection {
        try observer.writeNow { transaction in
            _ = try transaction.execute(
                "UPDATE schema_migrations SET applied_at = applied_at - 3600000 WHERE number = 1"
            )
        }
        return try PostgreSQLConnection(
            PostgreSQLConfiguration(url: "\(server.url)?application_name=latchkey%20news")
        )
    }

    func close() {
        for database in nodes.map(\.database) + [observer, model.database] { database.close() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Returns the number of operations to run from this one on before the next check.
    func pieceLength(at place: Int) -> Int {
        OperationMix.Rivals.drawn(mix.seed, place)?.pieceLength ?? Checker.pieceLength
    }

    /// Runs operations, many at a time, and returns once all have been answered.
    func run(_ numbers: Range<Int>) async throws -> [Entry] {
        pauses.beginPiece()
        var chances = SeededNumbers(mix.seed, -8000 - numbers.lowerBound)
        mix.known.forget(allBut: try alive(), &chances)
        let place = numbers.lowerBound
        let rivals = OperationMix.Rivals.drawn(mix.seed, place)
        var rest = numbers
        var entries = try await prepare(rivals, &rest)
        let race = rivals.map { rivals in
            OperationMix.Race(
                kinds: rivals.kinds,
                focus: Focus(
                    mix,
                    rivals.subject.isNewEachTime ? rest.lowerBound : place,
                    of: rivals,
                    isPrepared: !rivals.preparation.isEmpty
                ),
                hasNoPauses: rivals.shareTransactions
            )
        }
        let meter = WaitMeter(observer)
        let holders = (0..<Self.holders).map { number in
            RowHolder(
                observer,
                seed: mix.seed,
                place * Self.holders + number,
                race?.focus,
                rivals?.lock
            )
        }
        async let waits = meter.run()
        async let held: Void = withTaskGroup { group in
            for holder in holders { group.addTask { await holder.run() } }
        }
        let queue = NumberQueue(rest)
        entries += try await withThrowingTaskGroup(of: [Entry].self) { group in
            for worker in 0..<Self.concurrency {
                let node = nodes[rivals?.shareTransactions == true ? (worker < 2 ? 0 : 1) : worker % 2]
                group.addTask { [self] in
                    var entries: [Entry] = []
                    while let number = queue.next() {
                        entries.append(try await perform(number, of: race, on: node))
                    }
                    return entries
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        meter.stop()
        for holder in holders { holder.stop() }
        let waiting = await waits
        await held
        try observer.readNow { transaction in
            let rows = try transaction.all(
                """
                SELECT operation, attempt, CAST(extract(epoch FROM pg_xact_commit_timestamp(xact)) * 1000000 AS BIGINT)
                FROM history WHERE operation >= \(place)
                """
            ) { row in (attempt: [try row.integer(0), try row.integer(1)], committedAt: try row.integer(2)) }
            let commits = Dictionary(rows.map { ($0.attempt, $0.committedAt) }) { $1 }
            for place in entries.indices {
                let entry = entries[place]
                // A transaction that others share is kept though this operation is refused.
                if !entry.isRefused {
                    entries[place].committedAt = commits[[Int64(entry.number), Int64(entry.attempts)]]
                }
                entries[place].hasWaited = waiting.contains(entry.number)
            }
        }
        return entries
    }

    /// Runs the operations that make what a race is about, and takes their numbers from the beginning of a range.
    private func prepare(_ rivals: OperationMix.Rivals?, _ rest: inout Range<Int>) async throws -> [Entry] {
        guard let rivals else { return [] }
        let place = rest.lowerBound
        var entries: [Entry] = []
        for kind in rivals.preparation.prefix(rest.count) {
            let place = rivals.subject.isNewEachTime ? rest.lowerBound : place
            let focus = Focus(mix, place, of: rivals, isPrepared: !entries.isEmpty)
            let race = OperationMix.Race(kinds: [kind], focus: focus, hasNoPauses: true)
            entries.append(try await perform(rest.removeFirst(), of: race, on: nodes[0]))
        }
        return entries
    }

    /// Returns the ids of what calls can still use.
    private func alive() throws -> Set<String> {
        let ids = try observer.readNow { transaction in
            try transaction.all(
                """
                SELECT sid FROM sessions WHERE ended_at IS NULL UNION ALL SELECT uid FROM users
                UNION ALL SELECT ticket FROM tickets WHERE state IN ('open', 'approved') AND expires_at > \(clock.now)
                UNION ALL SELECT code FROM action_codes WHERE used_at IS NULL AND expires_at > \(clock.now)
                """
            ) { try $0.text(0) }
        }
        return Set(ids)
    }

    private func perform(_ number: Int, of race: OperationMix.Race?, on node: Node) async throws -> Entry {
        var numbers = SeededNumbers(mix.seed, -2000 - number)
        let operation = try mix.operation(number, in: race)
        // Otherwise all operations of a piece would begin at once, and none could come after another has ended.
        if race?.hasNoPauses != true, numbers.chance(40) {
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...30, using: &numbers)))
        }
        // After the pause, so that operations in progress at once begin at different times.
        clock.advance(Int64.random(in: 1...900, using: &numbers))
        let attempts = Attempts()
        let result = await node.result(of: operation, number, attempts)
        let outcome = node.isOlder ? Entry.Outcome(olderNode: result) : Entry.Outcome(result)
        let ended = ContinuousClock.now
        if case .answered(let answer) = outcome { mix.known.learn(answer.lessons) }
        let last = attempts.last
        return Entry(
            number: number,
            operation: operation,
            isOlder: node.isOlder,
            attempts: last.count,
            began: last.began,
            ended: ended,
            now: last.now,
            outcome: outcome,
            isShared: last.isShared
        )
    }
}

/// The numbers of the operations that have yet to begin.
private final class NumberQueue: Sendable {
    private let rest: Mutex<Range<Int>>

    init(_ numbers: Range<Int>) {
        rest = Mutex(numbers)
    }

    func next() -> Int? { rest.withLock { $0.popFirst() } }
}

/// The attempts of an operation.
final class Attempts: Sendable {
    struct Attempt: Sendable {
        /// The number of attempts so far.
        var count = 0
        var began = ContinuousClock.now
        /// The time of the transaction.
        var now: Int64 = 0
        /// Whether other operations were part of the transaction.
        var isShared = false
    }

    private let attempt = Mutex(Attempt())

    /// The last attempt.
    var last: Attempt { attempt.withLock { $0 } }

    func begin(_ now: Int64, isShared: Bool = false) {
        attempt.withLock { $0 = Attempt(count: $0.count + 1, began: .now, now: now, isShared: isShared) }
    }
}

extension Node {
    /// Runs an operation as the server does, and records it in `history` with the transaction.
    func result(
        of operation: Operation,
        _ number: Int,
        _ attempts: Attempts,
        isSecond: Bool = false
    ) async -> Result<Answer, any Error> {
        let services = services, mode = operation.mode(services)
        let call = Call(number: number, operation: operation, attempts: attempts)
        let result: Result<Answer, any Error> = await withCheckedContinuation { continuation in
            let completion: @Sendable (Result<Answer, any Error>) -> Void = { continuation.resume(returning: $0) }
            switch mode {
            case .reads(let snapshot):
                database.read(
                    operation.name,
                    snapshot: snapshot,
                    mayLag: false,
                    { try call.run(services, $0) },
                    completion: completion
                )
            case .writes(let isolation, let alone):
                if !isOlder, let sharing = operation.sharing(services) {
                    database.writeShared(
                        operation.name,
                        isolation: isolation,
                        call,
                        key: sharing.key,
                        together: { try Call.run($0, services, $1) },
                        alone: { try $0.write(services, $1) },
                        completion: completion
                    )
                    return
                }
                let isolation = isOlder ? .serializable : isolation
                database.write(
                    operation.name,
                    alone: alone,
                    isolation: isolation,
                    { try call.write(services, $0) },
                    completion: completion
                )
            case .leases: database.lease(operation.name, { try call.write(services, $0) }, completion: completion)
            }
        }
        guard case .failure(let error as DatabaseError) = result, case .constraint = error.kind, !isSecond else {
            return result
        }
        do {
            guard let second = try operation.second(services) else { return result }
            return await self.result(of: second, number, attempts, isSecond: true)
        } catch {
            return .failure(error)
        }
    }
}

/// An operation on its way to the database.
private struct Call: Sendable {
    let number: Int
    let operation: Operation
    let attempts: Attempts

    /// Runs the operation.
    func run(_ services: Services, _ transaction: Transaction) throws -> Answer {
        attempts.begin(transaction.now)
        return try operation.run(services, transaction)
    }

    /// Runs the operation and records it.
    func write(_ services: Services, _ transaction: Transaction) throws -> Answer {
        try WaitMeter.mark(transaction, as: number)
        let answer = try run(services, transaction)
        try record(transaction)
        return answer
    }

    /// Runs operations of one name in a transaction that they share, and records them.
    static func run(
        _ calls: [Call],
        _ services: Services,
        _ transaction: Transaction
    ) throws -> [SharedOutcome<Answer>] {
        let sharing = calls.compactMap { $0.operation.sharing(services) }
        guard let first = calls.first, let run = sharing.first?.run else { return [] }
        try WaitMeter.mark(transaction, as: first.number)
        for call in calls {
            call.attempts.begin(transaction.now, isShared: calls.count > 1)
            // Before the operations, because their last statement may be the transaction's.
            try call.record(transaction)
        }
        return try run(sharing.map(\.input), transaction)
    }

    /// Records that the transaction, if it is kept, has the outcome of the operation's last attempt.
    private func record(_ transaction: Transaction) throws {
        try transaction.enqueue(
            """
            INSERT INTO history (operation, attempt, xact)
            VALUES (\(number), \(attempts.last.count), CAST(pg_current_xact_id() AS XID))
            """
        )
    }
}
