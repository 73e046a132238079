import Foundation
import LeasedQueue
import Mail
import SMTPHarness
import Synchronization
import Testing
import Transfer

/// A mail server, an outbox, and the events of the delivery.
struct DeliveryScene: Sendable {
    let server: SMTPServer
    let outbox: MemoryOutbox
    let log: EventLog
    let smtp: SMTPConfiguration

    /// Makes a delivery on this outbox and server.
    func delivery(_ worker: String = "w1", _ settings: DeliverySettings) throws -> MailDelivery {
        MailDelivery(
            outbox: outbox,
            composer: try MailComposer.example(),
            smtp: smtp,
            settings: settings,
            worker: worker,
            onEvent: { [log] in log.add($0) }
        )
    }
}

final class EventLog: Sendable {
    private let events = Mutex<[MailEvent]>([])
    var all: [MailEvent] { events.withLock { $0 } }
    func add(_ event: MailEvent) { events.withLock { $0.append(event) } }

    /// Waits for this many events that satisfy a condition; false if it takes too long.
    func waits(for count: Int = 1, _ condition: (MailEvent) -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            if all.count(where: condition) >= count { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}

extension DeliverySettings {
    /// Settings whose waits take milliseconds.
    static var hasty: DeliverySettings {
        var settings = DeliverySettings()
        settings.poll = 20
        settings.retries = RetrySchedule(first: 40, longest: 200)
        settings.misconfiguredRetries = RetrySchedule(first: 40, longest: 200)
        settings.pauses.unavailable = RetrySchedule(first: 50, longest: 200)
        settings.pauses.misconfigured = RetrySchedule(first: 50, longest: 200)
        settings.stopPatience = 500
        return settings
    }
}

/// The factor by which timeouts are longer than usual, for example under a sanitizer: an e-mail that runs out of time
/// is correctly sent twice.
let patience = ProcessInfo.processInfo.environment["LATCHKEY_TEST_PATIENCE"].flatMap(Int.init) ?? 1

/// Runs a test with a new delivery, stops it, and checks that no event contains a secret.
func withDelivery(
    _ settings: DeliverySettings = .hasty,
    totalTimeout: Int = 20_000 * patience,
    faults: FaultPlan = .none,
    _ body: (DeliveryScene, MailDelivery) async throws -> Void
) async throws {
    let server = try SMTPServer()
    try server.start()
    server.faults = faults
    defer { server.stop() }
    var smtp = try SMTPConfiguration(url: "smtp://127.0.0.1:\(server.port)")
    smtp.totalTimeout = totalTimeout
    let scene = DeliveryScene(server: server, outbox: MemoryOutbox(), log: EventLog(), smtp: smtp)
    let delivery = try scene.delivery("w1", settings)
    let running = Task { await delivery.run() }
    do {
        try await body(scene, delivery)
    } catch {
        delivery.stop()
        await running.value
        throw error
    }
    delivery.stop()
    await running.value
    for event in scene.log.all {
        for secret in ["@", "SECRET", "271828", "auth/action"] { #expect(!event.description.contains(secret)) }
    }
}
