/// All held calls of this node, by number, by ticket, by the tick at which their time is over, and by the turn in which
/// their tickets are read.
///
/// Time is counted in ticks, so that a tick costs only what is due in it.
struct HeldCalls: Sendable {
    /// The number of ticks in a round, in which each ticket is read once.
    private let turns: Int
    private var calls: [Int: (call: HeldCall, endTick: Int)] = [:]
    private var ofTicket: [String: Int] = [:]
    private var ofTurn: [Int: Set<Int>] = [:]
    private var ofEnd: [Int: Set<Int>] = [:]
    /// The number of the newest call.
    private var newest = 0
    /// The last tick that ``advance(to:)`` was called for.
    private var tick = 0

    /// - Parameter turns: the number of ticks in which each ticket is read once.
    init(turns: Int) {
        self.turns = max(1, turns)
    }

    var isEmpty: Bool { calls.isEmpty }
    var all: [Int] { Array(calls.keys) }

    /// The number of the call that waits for a ticket.
    func of(_ ticket: String) -> Int? { ofTicket[ticket] }

    /// The call with this number; `nil` if it was removed.
    subscript(_ number: Int) -> HeldCall? { calls[number]?.call }

    /// Adds a call, whose ticket must have no other.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - endTick: the tick at which its time is over.
    /// - Returns: its number.
    mutating func add(_ call: HeldCall, until endTick: Int) -> Int {
        newest += 1
        let endTick = max(endTick, tick + 1)
        calls[newest] = (call, endTick)
        ofTicket[call.wait.ticket] = newest
        ofTurn[newest % turns, default: []].insert(newest)
        ofEnd[endTick, default: []].insert(newest)
        return newest
    }

    /// Removes a call; returns `nil` if it was removed before.
    mutating func remove(_ number: Int) -> HeldCall? {
        guard let (call, endTick) = calls.removeValue(forKey: number) else { return nil }
        ofTicket[call.wait.ticket] = nil
        Self.remove(number, at: number % turns, from: &ofTurn)
        Self.remove(number, at: endTick, from: &ofEnd)
        return call
    }

    /// Advances the time.
    ///
    /// - Parameter now: a tick; no earlier one than before.
    /// - Returns: the numbers of the calls that have waited long enough, and of the calls whose tickets are due for a read.
    mutating func advance(to now: Int) -> (over: [Int], due: [Int]) {
        let passed = isEmpty ? 0..<0 : tick + 1..<now + 1
        tick = now
        let over = passed.flatMap { ofEnd[$0] ?? [] }
        let due = passed.suffix(turns).flatMap { ofTurn[$0 % turns] ?? [] }
        return (over, due)
    }

    private static func remove(_ number: Int, at key: Int, from sets: inout [Int: Set<Int>]) {
        sets[key]?.remove(number)
        if sets[key]?.isEmpty == true { sets[key] = nil }
    }
}
