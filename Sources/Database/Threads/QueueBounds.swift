/// When a queue counts as congested, so that calls are refused early instead of waiting.
package struct QueueBounds: Sendable {
    /// The number of jobs that may wait whatever time they take, because few transactions take them.
    package var jobs = 512
    /// The expected wait in milliseconds beyond which a queue with more jobs than that is congested.
    package var wait = 100.0
    /// The time in milliseconds between the arrivals of the oldest and the newest job from which a queue is congested
    /// whatever it contains, because the database hangs.
    package var age: Int64 = 5_000

    /// Makes the bounds of a server.
    package init() {}

    /// Whether a further job would wait for too long behind these.
    func areExceeded(by waiting: [any Job], _ pace: QueuePace) -> Bool {
        guard let oldest = waiting.first, let newest = waiting.last else { return false }
        if newest.arrival - oldest.arrival >= age { return true }
        return waiting.count > jobs && pace.wait(behind: waiting.count) > wait
    }
}
