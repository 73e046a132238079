import Accounts
import Mail
import SMTPHarness
import Synchronization
import Testing

@Suite("Leases of e-mails", .timeLimit(.minutes(2)))
struct LeaseTests {
    /// Leases that expire while a slow e-mail is being sent, unless they are renewed.
    private static var shortLeases: DeliverySettings {
        var settings = DeliverySettings.hasty
        settings.lease = 3000
        settings.stopPatience = 5000
        return settings
    }

    /// Leases that give the workers three seconds after an outage to renew them, so that a busy machine is no failure.
    private static var longerLeases: DeliverySettings {
        var settings = shortLeases
        settings.lease = 9000
        return settings
    }

    /// Leases that a worker can renew in time although the machine stalls for three seconds.
    private static var renewedLeases: DeliverySettings {
        var settings = shortLeases
        settings.lease = 5000
        return settings
    }

    /// Runs a second delivery on the outbox of a scene.
    private func withOther(
        _ scene: DeliveryScene,
        _ settings: DeliverySettings = shortLeases,
        _ body: () async throws -> Void
    ) async throws {
        let other = try scene.delivery("w2", settings)
        let running = Task { await other.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        other.stop()
        await running.value
        try result.get()
    }

    @Test func `mails that take longer than their lease stay with their worker, and go once`() async throws {
        // An e-mail takes at least four replies.
        try await withDelivery(Self.renewedLeases, totalTimeout: 60_000, faults: .slow(.milliseconds(1500))) {
            scene,
            delivery in
            try await withOther(scene, Self.renewedLeases) {
                scene.outbox.add((0..<6).map { .example(.signIn, number: $0) })
                delivery.wake()
                #expect(await scene.outbox.allDone(within: .seconds(60)))
                #expect(scene.server.messages.count == 6)
                #expect(scene.outbox.state.withLock { $0.renewals } > 0)
            }
        }
    }

    @Test func `an outage of the database that outlasts the leases sends nothing twice`() async throws {
        try await withDelivery(Self.longerLeases, totalTimeout: 20_000, faults: .slow(.milliseconds(150))) {
            scene,
            delivery in
            try await withOther(scene, Self.longerLeases) {
                scene.outbox.add((0..<40).map { .example(.signIn, number: $0) })
                delivery.wake()
                _ = try await scene.server.waitForMessage()
                scene.outbox.state.withLock { $0.isAway = true }
                try await Task.sleep(for: .seconds(11))
                scene.outbox.state.withLock { $0.isAway = false }
                #expect(await scene.outbox.allDone(within: .seconds(60)))
                #expect(scene.server.messages.count == 40)
            }
        }
    }

    @Test func `a worker that is cut off begins nothing, and another goes on with all but what was in its hands`()
        async throws
    {
        // An e-mail takes at least four replies, which is longer than a lease.
        try await withDelivery(Self.shortLeases, totalTimeout: 60_000, faults: .slow(.milliseconds(1000))) {
            scene,
            delivery in
            scene.outbox.add((0..<8).map { .example(.signIn, number: $0) })
            delivery.wake()
            // The worker has leased all of them before it can have sent one.
            while scene.outbox.mostInHand < 8 { try await Task.sleep(for: .milliseconds(5)) }
            scene.outbox.state.withLock { $0.cutOff = "w1" }
            try await withOther(scene) {
                #expect(await scene.outbox.allDone(within: .seconds(60)))
                scene.outbox.state.withLock { $0.cutOff = nil }
                try await Task.sleep(for: .milliseconds(500))
                // Each of the four connections had an e-mail in its hands at most.
                let copies = scene.server.messages.count - 8
                #expect((0...4).contains(copies), "\(copies) went twice")
            }
        }
    }
}
