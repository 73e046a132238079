import DatabaseHarness
import Foundation
import Testing

@testable import Database

/// When a queue counts as congested.
@Suite("Bounds of queues") struct QueueBoundsTests {
    private static func pace(of interval: Int64) -> QueuePace {
        var pace = QueuePace()
        pace.take(10, at: 1_000_000, hasWaited: true, areTypical: true)
        pace.take(10, at: 1_000_000 + 10 * interval, hasWaited: false, areTypical: true)
        return pace
    }

    private static func jobs(_ count: Int) -> [any Job] {
        (0..<count).map { _ in
            ClosureJob<Int>(mode: .writing(alone: false), kind: "test", body: { _ in 1 }, completion: { _ in })
        }
    }

    @Test func `the pace is the time for which threads were busy with each job`() {
        var pace = QueuePace()
        #expect(pace.wait(behind: 1000) == 0)
        pace.take(4, at: 0, hasWaited: true, areTypical: true)
        #expect(pace.interval == 0, "nothing is known before the first jobs are done")
        pace.take(1, at: 400, hasWaited: false, areTypical: true)
        #expect(pace.interval == 100 && pace.wait(behind: 30) == 3)
    }

    @Test func `a thread that waits for jobs does not slow the pace`() {
        var pace = Self.pace(of: 100)
        pace.take(1, at: 3_600_000_000, hasWaited: true, areTypical: true)
        #expect(pace.interval == 100)
    }

    @Test func `a closure that must run alone does not slow the pace`() {
        var pace = Self.pace(of: 100)
        pace.take(1, at: 2_000_000, hasWaited: true, areTypical: false)
        pace.take(20, at: 4_000_000, hasWaited: false, areTypical: true)
        #expect(pace.interval == 100)
    }

    @Test func `the pace follows large batches at once, and single jobs slowly`() {
        var pace = Self.pace(of: 100)
        pace.take(1, at: 10_000_000, hasWaited: true, areTypical: true)
        pace.take(768, at: 10_010_000, hasWaited: false, areTypical: true)
        #expect(pace.interval > 130 && pace.interval < 145, "\(pace.interval)")
        pace.take(1, at: 10_010_000 + 768 * 200, hasWaited: false, areTypical: true)
        #expect(pace.interval > 180 && pace.interval < 190, "\(pace.interval)")
    }

    @Test func `jobs that one batch takes are never too many, and more are by the time that they take`() {
        let bounds = QueueBounds()
        let (slow, fast) = (Self.pace(of: 10_000), Self.pace(of: 100))
        #expect(!bounds.areExceeded(by: Self.jobs(512), slow))
        #expect(bounds.areExceeded(by: Self.jobs(513), slow))
        #expect(!bounds.areExceeded(by: Self.jobs(1000), fast))
        #expect(bounds.areExceeded(by: Self.jobs(1001), fast))
        #expect(!bounds.areExceeded(by: [], slow))
    }

    @Test func `a queue that does not move is congested, whatever it contains`() {
        var bounds = QueueBounds()
        bounds.age = 0
        #expect(bounds.areExceeded(by: Self.jobs(2), QueuePace()))
        bounds.age = 60_000
        #expect(!bounds.areExceeded(by: Self.jobs(2), QueuePace()))
    }

    @Test func `a queue is congested until enough was taken, and accepts jobs nevertheless`() {
        var bounds = QueueBounds()
        bounds.jobs = 2
        bounds.wait = -1
        let queue = JobQueue(limit: 10, bounds: bounds)
        for job in Self.jobs(2) { queue.push(job) }
        #expect(!queue.isCongested)
        for job in Self.jobs(2) { queue.push(job) }
        #expect(queue.isCongested && queue.count == 4)
        _ = queue.take(atMost: 1)
        #expect(queue.isCongested)
        _ = queue.take(atMost: 1)
        #expect(!queue.isCongested)
        for job in Self.jobs(2) { queue.push(job) }
        #expect(queue.isCongested)
        queue.failAll(.overloaded)
        #expect(!queue.isCongested)
    }

    @Test func `a writer that is slower than its work is congested, until it has caught up`() throws {
        // On a slow machine the jobs may take longer to queue than a queue may be old.
        let fresh = try Fresh { $0.queueBounds.age = 60_000 }
        defer { fresh.remove() }
        let answers = Answers<Void>()
        let blocker = Blocker(fresh.database)
        // One batch that takes a millisecond for each job, and behind it more than another batch.
        for number in 0..<300 {
            fresh.database.write({ _ in _ = usleep(1000) }, completion: answers.completion(number))
        }
        let (reached, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for number in 300..<2000 {
            let body: @Sendable (Transaction) throws -> Void = { _ in
                guard number == 512 else { return }
                reached.signal()
                goOn.wait()
            }
            fresh.database.write(body, completion: answers.completion(number))
        }
        #expect(!fresh.database.isCongested, "no pace is known yet")
        blocker.release()
        reached.wait()
        // The first batch took 512 jobs, 300 of which slept.
        #expect(fresh.database.isCongested)
        goOn.signal()
        #expect(answers.wait(for: 2000).count == 2000)
        #expect(!fresh.database.isCongested)
    }
}
