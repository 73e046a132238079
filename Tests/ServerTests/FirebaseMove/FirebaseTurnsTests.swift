import Network
import Testing

@testable import Server

@Suite("Turns and breaker for questions to Firebase")
struct FirebaseTurnsTests {
    /// A client in an IPv4 network; those of one `block` have the same /16.
    private func client(_ network: Int, block: Int = 0) throws -> IPAddress {
        try #require(IPAddress("10.\(block).\(network).1"))
    }

    /// Adds a question, if the network's allowance and the queue have room for it.
    private func add(_ id: UInt64, of client: IPAddress, to turns: inout FirebaseTurns, at now: Int64) -> Bool {
        turns.spend(client, at: now) && turns.enqueue(id, of: client, at: now)
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
        let one = try client(1), other = try client(2)
        var admitted = (0..<100 as Range<UInt64>).count { add($0, of: one, to: &turns, at: 0) }
        #expect(admitted == 60)
        let isAdmitted = add(200, of: other, to: &turns, at: 0)
        #expect(isAdmitted, "another network is not affected")
        admitted = (0..<100 as Range<UInt64>).count { add(300 + $0, of: one, to: &turns, at: 3000) }
        #expect(admitted == 3)
        admitted = (0..<100 as Range<UInt64>).count { _ in turns.spend(one, at: 600_000) }
        #expect(admitted == 60, "the burst is there again")
    }

    @Test func `all addresses of a site share its allowance: an IPv6 /48, and an IPv4 /24`() throws {
        var turns = FirebaseTurns(at: 0)
        for addresses in [(0..<100).map { "2001:db8:1:\($0)::\($0)" }, (0..<100).map { "192.0.2.\($0)" }] {
            let admitted = try addresses.count { turns.spend(try #require(IPAddress($0)), at: 0) }
            #expect(admitted == 60)
        }
        let isAdmitted = turns.spend(try #require(IPAddress("2001:db8:2::1")), at: 0)
        #expect(isAdmitted)
    }

    @Test func `an attacker with more networks than are remembered shuts out no newcomer, and memory stays bounded`()
        throws
    {
        var limits = FirebaseTurns.Limits()
        limits.networks = 100
        var turns = FirebaseTurns(limits, at: 0)
        for number in 0..<1000 {
            let attacker = try #require(IPAddress("2001:db8:\(String(number, radix: 16))::1"))
            _ = turns.spend(attacker, at: 0)
        }
        let isAdmitted = turns.spend(try client(1), at: 0)
        #expect(isAdmitted && turns.rememberedCount <= 200)
    }

    @Test func `networks take turns, whoever came first`() throws {
        var limits = FirebaseTurns.Limits()
        limits.perSecond = 4
        var turns = FirebaseTurns(limits, at: 0)
        let flood = try client(1), quiet = try client(2)
        for id in 0..<50 as Range<UInt64> { _ = turns.enqueue(id, of: flood, at: 0) }
        _ = turns.enqueue(100, of: quiet, at: 0)
        let first = drain(&turns, at: 0)
        #expect(first == [0, 100, 1, 2])
        #expect(turns.pause(at: 0) == 250)
        let second = drain(&turns, at: 500)
        #expect(second == [3, 4])
    }

    @Test func `the many networks of one provider take one turn together`() throws {
        var limits = FirebaseTurns.Limits()
        limits.perSecond = 5
        var turns = FirebaseTurns(limits, at: 0)
        for id in 0..<50 { _ = turns.enqueue(UInt64(id), of: try client(id, block: 1), at: 0) }
        _ = turns.enqueue(100, of: try client(1, block: 2), at: 0)
        _ = turns.enqueue(101, of: try client(2, block: 2), at: 0)
        let asked = drain(&turns, at: 0)
        #expect(asked == [0, 100, 1, 101, 2])
    }

    @Test func `a question that has waited too long is given up`() throws {
        var limits = FirebaseTurns.Limits()
        limits.lanes = 1
        var turns = FirebaseTurns(limits, at: 0)
        let one = try client(1)
        for id in 1...2 as ClosedRange<UInt64> { _ = turns.enqueue(id, of: one, at: 0) }
        var steps = [turns.next(at: 0), turns.next(at: 0)]
        turns.finish()
        steps.append(turns.next(at: 5001))
        #expect(steps == [.ask(1), nil, .giveUp(2)])
    }

    @Test func `a flood from one provider leaves room for questions of others`() throws {
        var limits = FirebaseTurns.Limits()
        limits.waiting = 8
        var turns = FirebaseTurns(limits, at: 0)
        let flood = try (0..<20).filter { turns.enqueue(UInt64($0), of: try client($0, block: 1), at: 0) }
        #expect(flood == [0, 1, 2, 3])
        let others = try (0..<9).filter { turns.enqueue(UInt64(100 + $0), of: try client(1, block: 2 + $0), at: 0) }
        #expect(others == [0, 1, 2, 3], "and then the queue is full")
        let given = turns.giveUpAll()
        #expect(given.sorted() == [0, 1, 2, 3, 100, 101, 102, 103] && turns.waitingCount == 0)
    }

    @Test func `values are forgotten after their time, and early if there are too many`() {
        var values = RecentValues<Int, String>(life: 1000, limit: 3)
        values.set("a", for: 1, at: 5000)
        values.set("b", for: 1, at: 5500)
        values.expire(at: 6400)
        #expect(values[1] == "b" && values.count == 1)
        values.expire(at: 7000)
        values.expire(at: 8000)
        #expect(values[1] == nil && values.count == 0)
        values.set("c", for: 2, at: 8100)
        values.expire(at: 99_000)
        #expect(values.count == 0, "after a long pause at once")
        for key in 0..<10 { values.set("d", for: key, at: 99_000) }
        #expect(values.count <= 6 && values[9] == "d" && values[0] == nil)
    }

    @Test func `tokens that Firebase refused are forgotten after ten minutes`() {
        let refused = RefusedTokens()
        refused.insert("a", at: 0)
        #expect(refused.contains("a", at: 599_999) && !refused.contains("b", at: 1))
        #expect(!refused.contains("a", at: 600_000))
        refused.expire(at: 600_000)
        refused.expire(at: 1_200_000)
        #expect(refused.count == 0)
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
