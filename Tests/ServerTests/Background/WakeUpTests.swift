import Synchronization
import Testing

@testable import Server

@Suite("Wake-ups of the mail workers")
struct WakeUpTests {
    @Test func `a call costs the same however many came before it`() async throws {
        let wakeUp = WakeUp()
        let calls = Atomic(0)
        wakeUp.call()
        wakeUp.set { calls.wrappingAdd(1, ordering: .relaxed) }
        // Far more than the stack could hold if each call went a frame deeper.
        for _ in 0..<500_000 { wakeUp.call() }
        #expect(calls.load(ordering: .relaxed) == 500_000)
    }
}
