import Network
import Testing

@testable import Server

@Suite("Turns and breaker for questions to Firebase")
struct FirebaseTurnsTests {
    private func network(_ number: Int) throws -> NetworkPrefix {
        NetworkPrefix(of: try #require(IPAddress("10.0.\(number).1")), length: 24)
    }

    /// Asks everything that may be asked now, and finishes it at once.
    private func drain(_ turns: inout FirebaseTurns, at now: Int64) -> [UInt64] {
        var asked: [UInt64] = []
        while let step = turns.next(at: now) {
            if case .ask(let id) = step {
                asked.append(id)
                turns.finish()
            }
        }
        return asked
    }

    @Test func `a network has a burst, and then one question a second`() throws {
        var turns = FirebaseTurns(at: 0)
        let one = try network(1), other = try network(2)
        var admitted = (0..<100 as Range<UInt64>).filter { turns.enqueue($0, of: one, at: 0) }
        #expect(admitted.count == 60)
        let isAdmitted = turns.enqueue(200, of: other, at: 0)
        #expect(isAdmitted, "another network is not affected")
        admitted = (0..<100 as Range<UInt64>).filter { turns.enqueue(300 + $0, of: one, at: 3000) }
        #expect(admitted.count == 3)
    }

    @Test func `networks take turns, whoever came first`() throws {
        var limits = FirebaseTurns.Limits()
        limits.perSecond = 4
        var turns = FirebaseTurns(limits, at: 0)
        let flood = try network(1), quiet = try network(2)
        for id in 0..<50 as Range<UInt64> { _ = turns.enqueue(id, of: flood, at: 0) }
        _ = turns.enqueue(100, of: quiet, at: 0)
        let first = drain(&turns, at: 0)
        #expect(first == [0, 100, 1, 2])
        #expect(turns.pause(at: 0) == 250)
        let second = drain(&turns, at: 500)
        #expect(second == [3, 4])
    }

    @Test func `a question that has waited too long is given up`() throws {
        var limits = FirebaseTurns.Limits()
        limits.lanes = 1
        var turns = FirebaseTurns(limits, at: 0)
        let one = try network(1)
        for id in 1...2 as ClosedRange<UInt64> { _ = turns.enqueue(id, of: one, at: 0) }
        var steps = [turns.next(at: 0), turns.next(at: 0)]
        turns.finish()
        steps.append(turns.next(at: 5001))
        #expect(steps == [.ask(1), nil, .giveUp(2)])
    }

    @Test func `too many waiting questions are refused`() throws {
        var limits = FirebaseTurns.Limits()
        limits.waiting = 3
        var turns = FirebaseTurns(limits, at: 0)
        let admitted = try (0..<5).filter { turns.enqueue(UInt64($0), of: try network($0), at: 0) }
        #expect(admitted == [0, 1, 2])
        let given = turns.giveUpAll().sorted()
        #expect(given == [0, 1, 2] && turns.waitingCount == 0)
    }

    @Test func `five failures open the breaker, and one question at a time finds out whether Firebase is back`() {
        var breaker = FirebaseBreaker()
        var admitted: [Bool] = []
        for _ in 0..<5 {
            admitted.append(breaker.admits(at: 0))
            breaker.record(success: false, at: 0, random: 0)
        }
        #expect(admitted == [true, true, true, true, true] && breaker.isOpen)
        admitted = [breaker.admits(at: 999), breaker.admits(at: 1000), breaker.admits(at: 1000)]
        #expect(admitted == [false, true, false])
        breaker.record(success: false, at: 1000, random: 0)
        admitted = [breaker.admits(at: 2999), breaker.admits(at: 3000)]
        #expect(admitted == [false, true])
        breaker.release()
        admitted = [breaker.admits(at: 3000)]
        breaker.record(success: true, at: 3100, random: 0)
        admitted.append(breaker.admits(at: 3100))
        #expect(admitted == [true, true] && !breaker.isOpen)
    }
}
