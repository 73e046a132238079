import DatabaseHarness
import PostgreSQLHarness
import Synchronization
import Testing

@testable import Database

@Suite("Calls that share a transaction", .enabled(if: TestDatabase.isEnginesTurn))
struct SharedCallTests {
    /// The numbers of inputs with which closures ran.
    private final class Runs: Sendable {
        private let sizes = Mutex<[Int]>([])
        var all: [Int] { sizes.withLock { $0 } }
        func add(_ size: Int) { sizes.withLock { $0.append(size) } }
    }

    /// The transactions that ran a closure.
    private final class Transactions: Sendable {
        private let ids = Mutex<Set<Int64>>([])
        var count: Int { ids.withLock { $0.count } }
        func note(_ transaction: Transaction) throws {
            let id = try transaction.first("SELECT CAST(txid_current() AS BIGINT)") { try $0.integer(0) }
            ids.withLock { _ = $0.insert(id ?? 0) }
        }
    }

    private func fresh() throws -> FreshPostgreSQL {
        try FreshPostgreSQL {
            $0.connections = 1
            $0.contestedKeys = []
        }
    }

    /// Writes an item for each number while all of them wait for the only connection.
    private func insert(
        _ numbers: Range<Int>,
        into database: PostgreSQLDatabase,
        runs: Runs,
        _ work: @escaping @Sendable (Int, Transaction) throws -> Void = { _, _ in },
        postponing isPostponed: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) -> [Int: [Result<Int, any Error>]] {
        let blocker = Blocker(database)
        let answers = Answers<Int>()
        for number in numbers {
            let write = { @Sendable (input: Int, transaction: Transaction) in
                try transaction.enqueue("INSERT INTO items (key, amount) VALUES (\("k\(input)"), \(input))")
                try work(input, transaction)
                return input
            }
            database.writeShared(
                "insert",
                isolation: .readCommitted,
                number,
                key: "key",
                together: { inputs, transaction in
                    runs.add(inputs.count)
                    return try inputs.map { input in
                        isPostponed(input)
                            ? .postponed : .answered(.success(try write(input, transaction)))
                    }
                },
                alone: { input, transaction in
                    runs.add(1)
                    return try write(input, transaction)
                },
                completion: answers.completion(number)
            )
        }
        blocker.release()
        return answers.wait(for: numbers.count)
    }

    @Test func `writes that wait are committed together, each with its own answer`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let runs = Runs()
        let answers = insert(0..<100, into: fresh.database, runs: runs)
        for number in 0..<100 { #expect(try answers[number]?.map { try $0.get() } == [number]) }
        #expect(runs.all == [64, 36])
        #expect(try fresh.count() == 100)
        let statistics = try #require(fresh.database.transactionStatistics.first { $0.kind == "insert" })
        #expect(statistics.closures == 100 && statistics.roundTrips == 2)
    }

    @Test func `a call that breaks the transaction of all fails alone`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let runs = Runs(), transactions = Transactions()
        // The check of the table refuses a negative amount, in the commit's round trip.
        let answers = insert(0..<64, into: fresh.database, runs: runs) { number, transaction in
            try transactions.note(transaction)
            if number == 5 { try transaction.enqueue("UPDATE items SET amount = -1 WHERE key = 'k5'") }
        }
        for number in 0..<64 where number != 5 { #expect(try answers[number]?.map { try $0.get() } == [number]) }
        guard case .failure(let error as DatabaseError)? = answers[5]?.first else {
            Issue.record("the call that is to blame succeeded")
            return
        }
        #expect(error.kind == .constraint(.check))
        // The calls are divided into eight parts, and so is the part with the call.
        #expect(runs.all == [64] + Array(repeating: 8, count: 8) + Array(repeating: 1, count: 8))
        #expect(transactions.count == 3)
        #expect(try fresh.count() == 63)
        let statistics = try #require(fresh.database.transactionStatistics.first { $0.kind == "insert" })
        #expect(statistics.closures == 64)
    }

    @Test func `two calls that break the transaction of all fail alone`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let transactions = Transactions()
        let answers = insert(0..<64, into: fresh.database, runs: Runs()) { number, transaction in
            try transactions.note(transaction)
            if number % 32 == 5 { try transaction.enqueue("UPDATE items SET amount = -1 WHERE amount = \(number)") }
        }
        let failed = answers.filter { _, results in (try? results[0].get()) == nil }.keys.sorted()
        #expect(failed == [5, 37])
        #expect(transactions.count == 3)
        #expect(try fresh.count() == 62)
    }

    @Test func `a call that breaks the commit of all fails alone`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        try fresh.server.psql(
            fresh.url,
            "ALTER TABLE items ADD CONSTRAINT amounts UNIQUE (amount) DEFERRABLE INITIALLY DEFERRED"
        )
        let answers = insert(0..<16, into: fresh.database, runs: Runs()) { number, transaction in
            if number == 5 { try transaction.enqueue("INSERT INTO items (key, amount) VALUES ('twice', 5)") }
        }
        let failed = answers.filter { _, results in (try? results[0].get()) == nil }.keys.sorted()
        #expect(failed == [5])
        #expect(try fresh.count() == 15)
    }

    @Test func `a part that lost a race for a key runs again, with the others`() throws {
        let fresh = try FreshPostgreSQL {
            $0.connections = 1
            $0.contestedKeys = ["items_key_key"]
        }
        defer { fresh.remove() }
        let attempts = Mutex(0)
        let answers = insert(0..<16, into: fresh.database, runs: Runs()) { number, transaction in
            if number == 5 { try transaction.enqueue("UPDATE items SET amount = -1 WHERE key = 'k5'") }
            // The transaction of all is over before the call runs.
            if number == 9,
                attempts.withLock({
                    $0 += 1; return $0
                }) == 2
            {
                try transaction.enqueue("INSERT INTO items (key, amount) VALUES ('k9', 9)")
                try transaction.flush()
            }
        }
        let failed = answers.filter { _, results in (try? results[0].get()) == nil }.keys.sorted()
        #expect(failed == [5])
        #expect(try fresh.count() == 15)
        let statistics = try #require(fresh.database.transactionStatistics.first { $0.kind == "insert" })
        #expect(statistics.repeats > 0)
    }

    @Test func `a part with a last change commits nothing by itself`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let blocker = Blocker(fresh.database)
        let answers = Answers<Int>(), transactions = Transactions()
        for number in 0..<64 {
            fresh.database.writeShared(
                "insert",
                isolation: .readCommitted,
                number,
                key: "key",
                together: { inputs, transaction in
                    try transactions.note(transaction)
                    for input in inputs.dropLast() {
                        try transaction.enqueue("INSERT INTO items (key, amount) VALUES (\("k\(input)"), \(input))")
                    }
                    let last = inputs.last ?? 0, amount = inputs.contains(5) ? -1 : last
                    let (rows, count) = try transaction.finish(
                        "INSERT INTO items (key, amount) VALUES (\("k\(last)"), \(amount)) RETURNING amount",
                        { try $0.integer(0) },
                        then: { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } }
                    )
                    #expect(rows == [Int64(last)])
                    #expect(count ?? 0 >= inputs.count)
                    return inputs.map { .answered(.success($0)) }
                },
                alone: { input, _ in input },
                completion: answers.completion(number)
            )
        }
        blocker.release()
        let failed = answers.wait(for: 64).filter { _, results in (try? results[0].get()) == nil }.keys.sorted()
        #expect(failed == [5])
        #expect(transactions.count == 3)
        #expect(try fresh.count() == 63)
    }

    @Test func `postponed calls run alone after the others were answered`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let runs = Runs()
        let answers = insert(0..<100, into: fresh.database, runs: runs, postponing: { $0 < 2 || $0 == 7 })
        for number in 0..<100 { #expect(try answers[number]?.map { try $0.get() } == [number]) }
        // The second and the third try together once more.
        #expect(runs.all.sorted() == [1, 1, 1, 2, 36, 64])
        #expect(try fresh.count() == 100)
        let statistics = try #require(fresh.database.transactionStatistics.first { $0.kind == "insert" })
        #expect(statistics.closures == 100 && statistics.repeats == 3)
    }

    @Test func `postponed calls with one key try together again once one of them has run alone`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let runs = Runs()
        let tried = Mutex<Set<Int>>([])
        let answers = insert(
            0..<100,
            into: fresh.database,
            runs: runs,
            postponing: { number in
                tried.withLock { $0.insert(number).inserted }
            }
        )
        for number in 0..<100 { #expect(try answers[number]?.map { try $0.get() } == [number]) }
        #expect(runs.all == [64, 36, 1, 64, 35])
        #expect(try fresh.count() == 100)
    }

    @Test func `calls that are postponed each time all run in the end`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let answers = insert(0..<200, into: fresh.database, runs: Runs(), postponing: { _ in true })
        for number in 0..<200 { #expect(try answers[number]?.map { try $0.get() } == [number]) }
        #expect(try fresh.count() == 200)
    }

    @Test func `no more calls wait than the limit says, whatever their keys are`() throws {
        let job = { @Sendable () -> any Job in
            ClosureJob<Int>(mode: .reading(snapshot: false), kind: "a", body: { _ in 1 }, completion: { _ in })
        }
        func call(_ key: String) -> PostponedCall { PostponedCall(key: key, together: job, alone: job) }
        let queue = JobQueue(limit: 100)
        let postponed = PostponedCalls(queue, limit: 3)
        for key in ["a", "b"] { #expect(postponed.add(call(key))) }
        #expect(queue.count == 2)
        for key in ["a", "b", "a"] { #expect(postponed.add(call(key))) }
        for key in ["a", "b"] { #expect(!postponed.add(call(key))) }
        postponed.finish(key: "a")
        for key in ["b", "b"] { #expect(postponed.add(call(key))) }
        #expect(!postponed.add(call("b")))
        #expect(queue.count == 4)
    }

    @Test func `postponed calls beyond the limit are refused, and the others run`() throws {
        let answers = Answers<Int>()
        let job = SharedJob<Int, Int>(
            mode: .writing(alone: false),
            kind: "a",
            together: { inputs, _ in inputs.map { .answered(.success($0)) } },
            alone: { input, _ in input },
            calls: (0..<3).map { .init(input: $0, key: "key", completion: answers.completion($0)) }
        )
        job.fail(DatabaseError(.busy, message: "a counter is locked"))
        let queue = JobQueue(limit: 100)
        job.postpone(to: PostponedCalls(queue, limit: 1))()
        // The first one is to run alone, and the second waits for it.
        #expect(queue.count == 1)
        guard case .failure(let error as DatabaseError)? = answers.wait(for: 1)[2]?.first else {
            Issue.record("the third call was not refused")
            return
        }
        #expect(error.kind == .overloaded)
    }

    @Test func `a call that throws rolls back its own work alone`() throws {
        struct Refused: Error {}
        let fresh = try fresh()
        defer { fresh.remove() }
        let answers = insert(0..<8, into: fresh.database, runs: Runs()) { number, _ in
            if number == 2 { throw Refused() }
        }
        let failed = answers.filter { _, results in (try? results[0].get()) == nil }.keys.sorted()
        #expect(failed == [2])
        #expect(try fresh.count() == 7)
    }

    @Test func `calls whose connection breaks are not divided, and all fail`() throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let runs = Runs()
        let answers = insert(0..<4, into: fresh.database, runs: runs) { number, transaction in
            // In the commit's round trip.
            if number == 3 { try transaction.enqueue("SELECT pg_terminate_backend(pg_backend_pid())") }
        }
        #expect(answers.count == 4)
        for results in answers.values { #expect((try? results[0].get()) == nil) }
        #expect(runs.all.allSatisfy { $0 == 4 })
        #expect(try fresh.count() == 0)
    }

    @Test func `reads that wait share a statement, each with its own result`() async throws {
        struct Missing: Error, Equatable { let number: Int }
        let fresh = try fresh()
        defer { fresh.remove() }
        let database = fresh.database
        try await database.write { transaction in
            for number in 0..<20 { try transaction.enqueue("INSERT INTO items (key) VALUES (\("k\(number)"))") }
        }
        let runs = Runs()
        let blocker = Blocker(database)
        let answers = Answers<String>()
        for number in 0..<40 {
            database.readShared("read", number) { inputs, transaction in
                runs.add(inputs.count)
                let condition = transaction.dialect.isAny(of: inputs.map { "k\($0)" })
                let found = Set(
                    try transaction.all("SELECT key FROM items WHERE key\(condition)") { try $0.text(0) }
                )
                return inputs.map { input in
                    found.contains("k\(input)") ? .success("k\(input)") : .failure(Missing(number: input))
                }
            } completion: {
                answers.completion(number)($0)
            }
        }
        blocker.release()
        let results = answers.wait(for: 40)
        for number in 0..<40 {
            guard let result = results[number]?.first else {
                Issue.record("no answer")
                continue
            }
            if number < 20 {
                #expect(try result.get() == "k\(number)")
            } else {
                #expect(throws: Missing(number: number)) { try result.get() }
            }
        }
        #expect(runs.all == [40])
    }

    @Test func `the completions of one transaction are called in one closure`() throws {
        let gathered = Gathered()
        let fresh = try FreshPostgreSQL {
            $0.connections = 1
            $0.completing = gathered.gather
        }
        defer { fresh.remove() }
        let database = fresh.database
        let answers = Answers<Int>()
        func read(_ number: Int) {
            database.readShared("read", number) { inputs, _ in
                inputs.map { .success($0) }
            } completion: {
                gathered.add()
                answers.completion(number)($0)
            }
        }
        // A call that arrives alone has no others to be gathered with.
        read(0)
        _ = answers.wait(for: 1)
        let blocker = Blocker(database)
        for number in 1...70 { read(number) }
        blocker.release()
        _ = answers.wait(for: 71)
        database.close()
        #expect(gathered.counts == [64, 6])
    }

    /// The numbers of completions that were called in one closure.
    private final class Gathered: Sendable {
        private let state = Mutex((all: [Int](), current: 0))
        var counts: [Int] { state.withLock(\.all) }

        func gather(_ completions: () -> Void) {
            state.withLock { $0.current = 0 }
            completions()
            state.withLock { $0.all.append($0.current) }
        }

        func add() { state.withLock { $0.current += 1 } }
    }

    /// A job of one call that others can join.
    private func shared(_ kind: String) -> any Job {
        SharedJob<Int, Int>(
            mode: .reading(snapshot: false),
            kind: kind,
            together: { inputs, _ in inputs.map { .answered(.success($0)) } },
            alone: nil,
            calls: [SharedJob.Call(input: 1, key: "") { _ in }]
        )
    }

    @Test func `jobs of other kinds keep their order`() throws {
        let queue = JobQueue(limit: 100)
        func alone(_ kind: String) -> any Job {
            ClosureJob<Int>(mode: .reading(snapshot: false), kind: kind, body: { _ in 1 }, completion: { _ in })
        }
        for job in [shared("a"), alone("x"), shared("b"), shared("a"), alone("y"), shared("b")] { queue.push(job) }
        var taken: [String] = []
        while queue.count > 0, let job = queue.takeOne() {
            taken.append("\(job.kind)\(job.count)")
            queue.finish(job)
        }
        #expect(taken == ["a2", "x1", "b2", "y1"])
    }

    @Test func `calls gather while a job of their kind runs`() throws {
        let queue = JobQueue(limit: 100, slowness: 60_000)
        queue.push(shared("a"))
        let running = try #require(queue.takeOne())
        for kind in ["a", "a", "b", "a"] { queue.push(shared(kind)) }
        #expect(queue.takeOne()?.kind == "b")
        queue.finish(running)
        #expect(queue.takeOne()?.count == 3)
        #expect(queue.count == 0)
    }

    @Test func `the parts of a job run beside one another, before others, and no call joins them`() throws {
        let queue = JobQueue(limit: 9, slowness: 60_000)
        for _ in 0..<9 { queue.push(shared("a")) }
        let job = try #require(queue.takeOne())
        for _ in 0..<9 { queue.push(shared("a")) }
        let parts = job.parts()
        for part in parts { #expect(!shared("a").join(part)) }
        queue.close()
        queue.putBack(parts)
        #expect((0..<8).map { _ in queue.takeOne()?.count } == [1, 1, 1, 1, 1, 1, 1, 2])
        #expect(queue.count == 9)
        queue.finish(job)
        #expect(queue.takeOne()?.count == 9)
    }

    @Test func `a few jobs run beside slow ones of their kind`() throws {
        let queue = JobQueue(limit: 100, slowness: 0)
        var running: [any Job] = []
        for _ in 0..<JobQueue.mostRunning {
            queue.push(shared("a"))
            running.append(try #require(queue.takeOne()))
        }
        for kind in ["a", "a", "b", "a"] { queue.push(shared(kind)) }
        #expect(queue.takeOne()?.kind == "b")
        queue.finish(try #require(running.first))
        #expect(queue.takeOne()?.count == 3)
        #expect(queue.count == 0)
    }

    @Test func `a call does not wait for the end of a slow job, even if no other call comes`() async throws {
        let queue = JobQueue(limit: 100, slowness: 50)
        queue.push(shared("a"))
        _ = try #require(queue.takeOne())
        // One thread is asleep before the call comes, and the other one sees it at once.
        async let asleep = onThread { queue.takeOne()?.count }
        try await Task.sleep(for: .milliseconds(20))
        queue.push(shared("a"))
        #expect(try await asleep == 1)
        queue.push(shared("a"))
        #expect(queue.takeOne()?.count == 1)
    }

    @Test func `a plan that was made for a few rows does not scan a table that has grown`() async throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        let database = fresh.database
        try await database.write { transaction in
            for number in 0..<10 { try transaction.enqueue("INSERT INTO items (key) VALUES (\("k\(number)"))") }
        }
        try fresh.server.psql(fresh.url, "ANALYZE items")
        try fresh.server.psql(fresh.url, "ALTER TABLE items SET (autovacuum_enabled = off)")
        // By default the server would rather scan ten rows, and go on to do so when they are a million.
        let scans = try await database.read { transaction -> [Int64] in
            let condition = transaction.dialect.isAny(of: ["k1", "k2"])
            for _ in 0..<8 {
                _ = try transaction.all("SELECT amount FROM items WHERE key\(condition)") { try $0.integer(0) }
            }
            return try transaction.all(
                "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'items'"
            ) { try $0.integer(0) }
        }
        #expect(scans == [0])
    }

    @Test func `one plan serves arrays of all lengths`() async throws {
        let fresh = try fresh()
        defer { fresh.remove() }
        try await fresh.database.write { transaction in
            for number in 0..<1000 { try transaction.enqueue("INSERT INTO items (key) VALUES (\("k\(number)"))") }
        }
        try fresh.server.psql(fresh.url, "ANALYZE items")
        // The server plans the first five times anew, and goes on so while plans for one value look cheaper.
        let plans = try await fresh.database.read { transaction in
            for number in 0..<20 {
                let keys = Dialect.array((0...number % 3).map { "k\($0)" })
                _ = try transaction.all("SELECT amount FROM items WHERE key = ANY (\(keys))") { try $0.integer(0) }
                _ = try transaction.all("SELECT i.amount FROM unnest(\(keys)) k JOIN items i ON i.key = k") {
                    try $0.integer(0)
                }
            }
            return try transaction.all(
                """
                SELECT custom_plans, generic_plans FROM pg_prepared_statements
                WHERE statement LIKE '%amount%' AND statement NOT LIKE '%pg_prepared_statements%'
                """
            ) { [try $0.integer(0), try $0.integer(1)] }
        }
        #expect(plans == [[5, 15], [5, 15]])
    }
}
