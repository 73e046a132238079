/// How fast long work goes, and how long it will still take.
struct WorkRate {
    private let begun = ContinuousClock.now

    /// Returns the rate since the work began, with the time left if the total is known: `5000 a second, 2 min left`.
    ///
    /// - Parameters:
    ///   - count: what is done, in the unit of the rate.
    ///   - share: the part of the work that is done, from 0 to 1; `nil` if it is not known.
    func text(count: Int, share: Double?) -> String {
        Self.text(count: count, share: share, elapsed: ContinuousClock.now - begun)
    }

    static func text(count: Int, share: Double?, elapsed: Duration) -> String {
        let seconds = max(elapsed / .seconds(1), 0.001)
        let rate = "\(Int(Double(count) / seconds)) a second"
        // The first moments say little about the rest.
        guard let share, share > 0.01, share < 1 else { return rate }
        let left = Int((seconds * (1 - share) / share).rounded(.up))
        return "\(rate), \(left < 120 ? "\(left) s" : "\((left + 59) / 60) min") left"
    }
}
