internal import AccountDatabase
internal import Database
internal import JSON

/// Reads the numbers about the whole installation for `/metrics`, once a minute.
struct GaugeRefresher: Sendable {
    /// The time between two readings.
    static let interval = Duration.seconds(60)
    /// A reading is followed by a pause of at least this many times its own duration, so that a large database spends
    /// at most a hundredth of its time on readings.
    private static let restraint = 99

    let services: Services

    /// Reads until its task is cancelled.
    func run() async {
        var isKnownToFail = false
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do {
                try await refresh()
                isKnownToFail = false
            } catch {
                // A database that is away is logged elsewhere; this says once that the numbers are old.
                if !isKnownToFail { services.logger("metrics.not-refreshed", ("reason", .string("\(error)"))) }
                isKnownToFail = true
            }
            let pause = max(Self.interval, (ContinuousClock.now - start) * Self.restraint)
            try? await Task.sleep(for: pause)
        }
    }

    /// Reads the numbers.
    func refresh() async throws {
        let earlier = services.metrics.installation?.readAt
        let gauges = try await services.database.read(kind: "metrics", mayLag: true) { transaction in
            try transaction.installationGauges(since: earlier)
        }
        services.metrics.record(gauges)
    }
}
