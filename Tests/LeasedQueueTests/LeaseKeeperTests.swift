import LeasedQueue
import Synchronization
import Testing

@Suite("Leases of rows", .timeLimit(.minutes(1)))
struct LeaseKeeperTests {
    struct Gone: Error {}

    /// Makes a keeper of short leases, whose renewals a test defines, and a record of the lost rows.
    private func keeper(
        milliseconds: Int64 = 1500,
        _ renewal: @escaping LeaseKeeper.Renewal = { _ in throw Gone() }
    ) -> (keeper: LeaseKeeper, lost: Losses) {
        let lost = Losses()
        let keeper = LeaseKeeper(milliseconds: milliseconds, renewal: renewal, onLoss: { lost.add($0) })
        return (keeper, lost)
    }

    private final class Losses: Sendable {
        private let count = Mutex(0)
        var all: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }

    private func run(_ keeper: LeaseKeeper, for time: Duration) async throws {
        let running = Task { await keeper.run() }
        try await Task.sleep(for: time)
        running.cancel()
        await running.value
    }

    @Test func `nothing is begun under a lease that could not be renewed`() async throws {
        let (keeper, _) = keeper(milliseconds: 4500)
        keeper.own([1], since: .now)
        #expect(keeper.mayBegin(1) && !keeper.mayBegin(2))
        try await run(keeper, for: .milliseconds(3300))
        #expect(!keeper.mayBegin(1))
    }

    @Test func `a lease that was long in coming counts from the question`() {
        let (keeper, _) = keeper()
        keeper.own([1], since: .now - .milliseconds(1100))
        #expect(!keeper.mayBegin(1))
    }

    @Test func `leases are renewed for as long as they are held`() async throws {
        // Long enough that a stall of the machine for two seconds does not end the lease.
        let (keeper, lost) = keeper(milliseconds: 6000) { $0 }
        keeper.own([1], since: .now)
        try await run(keeper, for: .milliseconds(9200))
        #expect(keeper.mayBegin(1) && lost.all == 0)
    }

    @Test func `what another took is lost, but not what is being recorded`() async throws {
        let (keeper, lost) = keeper { $0.filter { $0 == 3 } }
        keeper.own([1, 2, 3], since: .now)
        keeper.finish([2])
        let running = Task { await keeper.run() }
        for _ in 0..<1000 where lost.all == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(lost.all == 1 && !keeper.mayBegin(1))
        #expect(keeper.mayBegin(3))
        running.cancel()
        await running.value
    }

    @Test func `a row that was taken again is not dropped with its last outcome`() {
        let (keeper, _) = keeper()
        keeper.own([1, 2], since: .now)
        keeper.finish([1, 2])
        keeper.own([1], since: .now)
        keeper.drop([1, 2])
        #expect(keeper.mayBegin(1) && !keeper.mayBegin(2))
    }

    @Test func `nothing is taken over right after the start, nor after trouble with the queue`() async throws {
        // A third of a lease is longer than a stall of the machine between two lines.
        let (keeper, _) = keeper(milliseconds: 9000)
        #expect(!keeper.takesOver)
        try await Task.sleep(for: .milliseconds(3050))
        #expect(keeper.takesOver)
        await #expect(throws: Gone.self) { try await keeper.reach { throw Gone() } }
        #expect(!keeper.takesOver)
        try await Task.sleep(for: .milliseconds(3050))
        #expect(keeper.takesOver)
        try await keeper.reach { try await Task.sleep(for: .milliseconds(1100)) }
        #expect(!keeper.takesOver, "an answer that took long is trouble, too")
    }
}
