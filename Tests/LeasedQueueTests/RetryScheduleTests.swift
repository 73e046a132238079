import LeasedQueue
import Testing

@Suite("Pauses between attempts")
struct RetryScheduleTests {
    @Test(
        arguments: [
            (0, 30_000), (1, 60_000), (2, 120_000), (6, 1_920_000), (7, 3_600_000), (8, 3_600_000),
            (1_000_000, 3_600_000), (-1, 30_000), (.max, 3_600_000), (.min, 30_000),
        ] as [(Int, Int64)]
    )
    func `each attempt waits twice as long, an hour at most, at least half of it`(_ attempts: Int, _ longest: Int64) {
        let schedule = RetrySchedule()
        #expect(schedule.delay(attempts: attempts, random: 0) == longest)
        #expect(schedule.delay(attempts: attempts, random: 0.5) == longest * 3 / 4)
        #expect(schedule.delay(attempts: attempts, random: 1) == longest / 2)
    }

    @Test
    func `absurd limits do not trap`() {
        let schedule = RetrySchedule(first: .max, longest: .max)
        #expect(schedule.delay(attempts: 100, random: 0.5) > 0)
    }
}
