import Accounts
import Mail
import SMTPHarness
import Synchronization
import Testing

@Suite("Leases of mails", .timeLimit(.minutes(1)))
struct LeaseTests {
    struct Gone: Error {}

    /// A keeper of short leases, whose renewals do what a test wants, and how many rows it lost.
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
        let (keeper, _) = keeper()
        keeper.hold([1], since: .now)
        #expect(keeper.mayBegin(1) && !keeper.mayBegin(2))
        try await run(keeper, for: .milliseconds(1100))
        #expect(!keeper.mayBegin(1))
    }

    @Test func `a lease that was long in coming counts from the question`() {
        let (keeper, _) = keeper()
        keeper.hold([1], since: .now - .milliseconds(1100))
        #expect(!keeper.mayBegin(1))
    }

    @Test func `leases are renewed for as long as they are held`() async throws {
        let (keeper, lost) = keeper { $0 }
        keeper.hold([1], since: .now)
        try await run(keeper, for: .milliseconds(2300))
        #expect(keeper.mayBegin(1) && lost.all == 0)
    }

    @Test func `what another took is lost, but not what is being recorded`() async throws {
        let (keeper, lost) = keeper { $0.filter { $0 == 3 } }
        keeper.hold([1, 2, 3], since: .now)
        keeper.settle([2])
        let running = Task { await keeper.run() }
        for _ in 0..<1000 where lost.all == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(lost.all == 1 && !keeper.mayBegin(1))
        #expect(keeper.mayBegin(3))
        running.cancel()
        await running.value
    }

    @Test func `a row that was taken again is not dropped with its last outcome`() {
        let (keeper, _) = keeper()
        keeper.hold([1, 2], since: .now)
        keeper.settle([1, 2])
        keeper.hold([1], since: .now)
        keeper.drop([1, 2])
        #expect(keeper.mayBegin(1) && !keeper.mayBegin(2))
    }

    @Test func `nothing is taken over right after the start, nor after trouble with the queue`() async throws {
        let (keeper, _) = keeper(milliseconds: 3000)
        #expect(!keeper.takesOver)
        try await Task.sleep(for: .milliseconds(1050))
        #expect(keeper.takesOver)
        await #expect(throws: Gone.self) { try await keeper.reach { throw Gone() } }
        #expect(!keeper.takesOver)
        try await Task.sleep(for: .milliseconds(1050))
        #expect(keeper.takesOver)
        try await keeper.reach { try await Task.sleep(for: .milliseconds(1100)) }
        #expect(!keeper.takesOver, "an answer that took long is trouble, too")
    }

    // MARK: Deliveries

    private static var shortLeases: DeliverySettings {
        var settings = DeliverySettings.hasty
        settings.lease = 1200
        settings.stopPatience = 5000
        return settings
    }

    /// Runs a second delivery on the outbox of a scene.
    private func withOther(
        _ scene: DeliveryScene,
        _ body: () async throws -> Void
    ) async throws {
        let other = try scene.delivery("w2", Self.shortLeases)
        let running = Task { await other.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        other.stop()
        await running.value
        try result.get()
    }

    @Test func `mails that take longer than their lease stay with their worker, and go once`() async throws {
        try await withDelivery(Self.shortLeases, totalTimeout: 20_000, faults: .slow(.milliseconds(600))) {
            scene,
            delivery in
            try await withOther(scene) {
                scene.outbox.add((0..<6).map { .example(.signIn, number: $0) })
                delivery.wake()
                #expect(await scene.outbox.allDone())
                #expect(scene.server.messages.count == 6)
                #expect(scene.outbox.state.withLock { $0.renewals } > 0)
            }
        }
    }

    @Test func `an outage of the database that outlasts the leases sends nothing twice`() async throws {
        try await withDelivery(Self.shortLeases, totalTimeout: 20_000, faults: .slow(.milliseconds(150))) {
            scene,
            delivery in
            try await withOther(scene) {
                scene.outbox.add((0..<40).map { .example(.signIn, number: $0) })
                delivery.wake()
                _ = try await scene.server.waitForMessage()
                scene.outbox.state.withLock { $0.isAway = true }
                try await Task.sleep(for: .milliseconds(2500))
                scene.outbox.state.withLock { $0.isAway = false }
                #expect(await scene.outbox.allDone())
                #expect(scene.server.messages.count == 40)
            }
        }
    }

    @Test func `a worker that is cut off begins nothing, and another goes on with all but what was in its hands`()
        async throws
    {
        try await withDelivery(Self.shortLeases, totalTimeout: 20_000, faults: .slow(.milliseconds(150))) {
            scene,
            delivery in
            scene.outbox.add((0..<60).map { .example(.signIn, number: $0) })
            delivery.wake()
            _ = try await scene.server.waitForMessage()
            try await withOther(scene) {
                scene.outbox.state.withLock { $0.cutOff = "w1" }
                #expect(await scene.outbox.allDone())
                scene.outbox.state.withLock { $0.cutOff = nil }
                try await Task.sleep(for: .milliseconds(500))
                // Four were in its hands when it was cut off; what else it had done by then it could not record.
                let copies = scene.server.messages.count - 60
                #expect((1...8).contains(copies), "\(copies) went twice")
            }
        }
    }
}
