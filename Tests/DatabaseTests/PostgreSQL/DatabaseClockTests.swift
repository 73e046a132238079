import PostgreSQLHarness
import Testing

@testable import Database

@Suite("Database's clock", .enabled(if: TestDatabase.isEnginesTurn))
struct DatabaseClockTests {
    /// Returns the difference between the clock and the machine's monotonic clock.
    private func offset(_ clock: DatabaseClock) -> Int64 { clock.now - Deadline.now }

    @Test func `the first answer is taken to be of the middle of the wait for it`() {
        let clock = DatabaseClock()
        clock.set(1_000_050, asked: 0, answered: 100)
        #expect(abs(offset(clock) - 1_000_000) <= 1)
    }

    @Test func `an answer that took long changes nothing that it does not disprove`() {
        let clock = DatabaseClock()
        clock.set(1_000_000, asked: 0, answered: 0)
        // The server read its clock immediately, but the answer took three seconds.
        clock.set(1_010_000, asked: 10_000, answered: 13_000)
        #expect(abs(offset(clock) - 1_000_000) <= 1)
    }

    @Test func `a clock that was set is followed, and so is one that runs a little faster`() {
        let clock = DatabaseClock()
        clock.set(1_000_000, asked: 0, answered: 0)
        clock.set(1_010_020, asked: 10_000, answered: 10_002)
        #expect(abs(offset(clock) - 1_000_018) <= 1)
        clock.set(5_000_000, asked: 20_000, answered: 20_010)
        #expect(abs(offset(clock) - 4_979_990) <= 1)
        clock.set(1_030_000, asked: 30_000, answered: 30_010)
        #expect(abs(offset(clock) - 1_000_000) <= 1)
    }
}
