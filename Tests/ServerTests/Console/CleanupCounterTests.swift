import Accounts
import Database
import Testing

@testable import Server

@Suite("Counts of guests beside the console's requests")
struct CleanupCounterTests {
    /// Asks until a count meets a condition.
    private static func count(
        _ counter: CleanupCounter,
        _ setting: CleanupSetting,
        until isMet: (CleanupCounter.Count) -> Bool = { _ in true }
    ) async throws -> CleanupCounter.Count {
        for _ in 0..<2000 {
            if let count = counter.count(setting), isMet(count) { return count }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw CancellationError()
    }

    @Test func `the first visit begins a count, and later ones show it for a minute`() async throws {
        let meadow = try Meadow()
        try await meadow.guests(["g1", "g2"])
        let counter = CleanupCounter(meadow.database, flows: meadow.flows)
        let setting = CleanupSetting()
        #expect(counter.count(setting) == nil)
        #expect(try await Self.count(counter, setting).preview.guests == 2)
        try await meadow.guests(["g3"])
        #expect(counter.count(setting)?.preview.guests == 2)
        meadow.advance(60_000)
        // The old count is shown until the new one is there.
        #expect(counter.count(setting)?.preview.guests == 2)
        #expect(try await Self.count(counter, setting) { $0.preview.guests == 3 }.countedAt == meadow.database.now)
    }

    @Test func `each setting has its own count, and a change of the setting forgets all`() async throws {
        let meadow = try Meadow()
        try await meadow.guests(["g1"])
        let counter = CleanupCounter(meadow.database, flows: meadow.flows)
        var settings = [CleanupSetting(), CleanupSetting()]
        settings[1].days = 3
        #expect(try await Self.count(counter, settings[0]).preview.inSevenDays == 0)
        #expect(try await Self.count(counter, settings[1]).preview.inSevenDays == 1)
        counter.reset()
        #expect(counter.count(settings[0]) == nil)
        _ = try await Self.count(counter, settings[0])
        // Many settings do not fill the memory, and the newest is kept.
        for days in 40..<45 {
            settings[1].days = Int64(days)
            _ = try await Self.count(counter, settings[1])
        }
        #expect(counter.count(settings[0]) == nil && counter.count(settings[1]) != nil)
    }
}
