import Mail
import Testing

@Suite("Health of the mail server")
struct ServerHealthTests {
    let start = ContinuousClock.now
    let pauses = ServerHealth.Pauses()

    @Test
    func `a healthy server gets all there is room for`() {
        var health = ServerHealth()
        #expect(health.allowance(wanted: 32, isIdle: false, now: start) == 32)
    }

    @Test
    func `a server that is away gets a pause, then one mail, then all`() {
        var health = ServerHealth()
        #expect(health.failed(.away, pauses, random: 0, now: start) == 1000)
        #expect(health.isPaused)
        #expect(health.failed(.away, pauses, random: 0, now: start) == nil, "the others in hand tell nothing new")
        #expect(health.allowance(wanted: 32, isIdle: true, now: start + .milliseconds(999)) == 0)
        #expect(health.allowance(wanted: 32, isIdle: true, now: start + .milliseconds(1000)) == 1)
        #expect(health.allowance(wanted: 32, isIdle: false, now: start + .milliseconds(1000)) == 0)
        #expect(health.answered() == true)
        #expect(health.answered() == false)
        #expect(health.allowance(wanted: 32, isIdle: true, now: start + .milliseconds(1000)) == 32)
    }

    @Test
    func `each vain trial doubles the pause, up to its limit`() {
        var health = ServerHealth()
        var now = start
        var lengths: [Int64] = []
        for _ in 0..<8 {
            let length = health.failed(.away, pauses, random: 0, now: now) ?? 0
            lengths.append(length)
            now += .milliseconds(length)
            _ = health.allowance(wanted: 1, isIdle: true, now: now)
        }
        #expect(lengths == [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    }

    @Test
    func `a server that refuses us is left alone for longer`() {
        var health = ServerHealth()
        #expect(health.failed(.refused, pauses, random: 0, now: start) == 30_000)
    }

    @Test
    func `one lost connection may be its mail's fault, three are the server's`() {
        var health = ServerHealth()
        #expect(health.failed(.lost, pauses, random: 0, now: start) == nil)
        #expect(health.failed(.lost, pauses, random: 0, now: start) == nil)
        _ = health.answered()
        #expect(health.failed(.lost, pauses, random: 0, now: start) == nil)
        #expect(health.failed(.lost, pauses, random: 0, now: start) == nil)
        #expect(health.failed(.lost, pauses, random: 0, now: start) == 1000)
        _ = health.allowance(wanted: 1, isIdle: true, now: start + .seconds(1))
        #expect(health.failed(.lost, pauses, random: 0, now: start) == 2000, "the trial was lost as well")
    }
}
