import DatabaseHarness
import Foundation
import Synchronization
import Testing

@testable import Database

@Suite("Checkpoints", .sqlite)
struct CheckpointTests {
    private static let page: Int64 = 4096

    @Test func `the log stays bounded under constant load of writers and readers`() async throws {
        let fresh = try Fresh {
            $0.checkpoints.softLimit = 100
            $0.checkpoints.hardLimit = 200
            $0.checkpoints.interval = 100
        }
        defer { fresh.remove() }
        let isDone = Flag()
        let ended = Counter()
        for thread in 0..<4 {
            Thread { [database = fresh.database] in
                var number = 0
                while !isDone.isSet {
                    let key = "\(thread)-\(number)"
                    let note = String(repeating: "n", count: 2000)
                    let answers = Answers<Int>()
                    database.write(
                        { try $0.execute("INSERT INTO items (key, note) VALUES (\(key), \(note))") },
                        completion: answers.completion(0)
                    )
                    _ = answers.wait(for: 1)
                    number += 1
                }
                ended.add()
            }.start()
        }
        for _ in 0..<2 {
            Thread { [database = fresh.database] in
                while !isDone.isSet {
                    _ = try? database.readNow { try $0.first("SELECT count(*) FROM items") { try $0.integer(0) } }
                }
                ended.add()
            }.start()
        }
        var largest: Int64 = 0
        // Each row touches at least two pages, and the four rows of a batch share few: many times the limit.
        let goal = isFullDepth ? 40_000 : 4_000
        let deadline = ContinuousClock.now + .seconds(300)
        while fresh.database.statistics.writes < goal, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
            largest = max(largest, fresh.database.statistics.logBytes)
        }
        isDone.set()
        try await onThread { ended.wait(for: 6) }
        #expect(try fresh.count() >= goal)
        // Without a bound the log would have at least 8000 pages.
        #expect(largest < 20 * 200 * Self.page)
        #expect(largest > 100 * Self.page)
    }

    @Test func `a long log is given back once it is quiet`() async throws {
        let fresh = try Fresh {
            $0.checkpoints.interval = 50
            $0.checkpoints.idleLimit = 100_000
        }
        defer { fresh.remove() }
        let lengthAtCommit = Answers<Int64>()
        fresh.database.write(
            { transaction in
                for number in 0..<2000 {
                    let note = String(repeating: "n", count: 1000)
                    try transaction.execute("INSERT INTO items (key, note) VALUES (\("\(number)"), \(note))")
                }
            },
            completion: { [database = fresh.database] result in
                lengthAtCommit.completion(0)(result.map { database.statistics.logBytes })
            }
        )
        let length = try #require(try await onThread { try lengthAtCommit.wait(for: 1)[0]?.first?.get() })
        #expect(length > 1_000_000)
        for _ in 0..<100 where fresh.database.statistics.logBytes > 0 { try await Task.sleep(for: .milliseconds(50)) }
        #expect(fresh.database.statistics.logBytes == 0)
        #expect(try fresh.count() == 2000)
    }

    @Test func `telling of a long log costs the same however often it was told before`() {
        var policy = CheckpointPolicy()
        policy.hardLimit = 1
        let meter = LogMeter(policy)
        let told = Atomic(0)
        meter.notify { told.wrappingAdd(1, ordering: .relaxed) }
        // Far more than the stack could hold if each call went a frame deeper.
        for _ in 0..<500_000 { meter.committed(pages: 1) }
        #expect(told.load(ordering: .relaxed) == 500_000)
    }

    @Test func `a checkpoint is due whenever the log has grown by the limit, and at each commit once it is too long`() {
        var policy = CheckpointPolicy()
        policy.softLimit = 10
        policy.hardLimit = 30
        let meter = LogMeter(policy)
        let told = Mutex<[Int]>([])
        for round in 0..<2 {
            for pages in 1...32 {
                // Replaced for each commit, so that it knows the number of pages.
                meter.notify { told.withLock { $0.append(pages) } }
                meter.committed(pages: pages)
            }
            #expect(told.withLock { $0 } == [10, 20, 30, 31, 32], "round \(round)")
            told.withLock { $0 = [] }
        }
        // A log that restarted long before the limit.
        for pages in [12, 3, 9] { meter.committed(pages: pages) }
        #expect(told.withLock { $0 }.count == 1)
    }
}
