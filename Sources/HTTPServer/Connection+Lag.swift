internal import Synchronization

/// Finding out whether a request has waited for too long.
extension Connection {
    /// While there is no standing queue, the server measures the wait of one request in this many, because each
    /// measurement costs a system call.
    ///
    /// A power of two.
    private static let sampling: UInt64 = 4

    /// Whether more requests arrive than the server can answer, and this one, which has waited for too long, is refused.
    func hasWaitedTooLong() -> Bool {
        let isStanding = core.isLagging.load(ordering: .relaxed)
        guard isStanding || (record.id &+ requestCount) & (Self.sampling - 1) == 0 else { return false }
        let sinceData = handle.sinceData
        guard sinceData >= 0 else { return false }
        let now = Moment.now
        // What arrives while an earlier request is answered waits for that one.
        let wait = min(sinceData, Int(now - record.idleSince.load(ordering: .relaxed)))
        let (refuses, persists) = core.lag.withLock { lag in (lag.refuses(wait, at: now), lag.isStanding) }
        if persists != isStanding { core.isLagging.store(persists, ordering: .relaxed) }
        return refuses
    }
}
