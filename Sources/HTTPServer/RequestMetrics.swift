internal import Synchronization
package import Telemetry

/// What the requests of one route have taken and how they were answered.
package final class RequestMetrics: Sendable {
    /// The name of the route in metrics: a pattern or the name of a group of patterns, never a path of a client.
    package let route: String
    private let durations = Histogram(bounds: RequestMetrics.bounds)
    private let answers: [Counter]

    /// The upper bounds of the durations' buckets, in nanoseconds.
    private static let bounds = [5, 25, 100, 500, 2500].map { $0 * 1_000_000 }
    /// The statuses with a counter of their own.
    ///
    /// The last counter has all others.
    private static let statuses = [200, 204, 303, 304, 400, 401, 403, 404, 409, 412, 413, 429, 500, 503]

    init(route: String) {
        self.route = route
        answers = (0...Self.statuses.count).map { _ in Counter() }
    }

    /// Counts an answered request.
    ///
    /// - Parameters:
    ///   - status: the status of the response.
    ///   - nanoseconds: the time from the request line's arrival to the response.
    func record(status: Int, nanoseconds: Int) {
        durations.record(nanoseconds)
        var index = 0
        while index < Self.statuses.count, Self.statuses[index] != status { index += 1 }
        answers[index].add()
    }

    /// The times that requests took until their responses, in nanoseconds.
    package var duration: Histogram.Snapshot { durations.snapshot }

    /// The number of responses by status, without those that are 0; `other` has the statuses without a counter.
    package var responses: [(status: String, count: Int)] {
        zip(Self.statuses.map { "\($0)" } + ["other"], answers).compactMap { status, counter in
            let count = counter.value
            return count > 0 ? (status, count) : nil
        }
    }
}

/// Measures the requests of all routes, whichever listener answers them.
package final class RouteMeter: Sendable {
    private let label: @Sendable (String) -> String
    private let metrics = Mutex<[String: RequestMetrics]>([:])

    /// Makes a meter without routes.
    ///
    /// - Parameter label: returns the name in metrics of a route's pattern. Patterns may share a name. The pattern of
    ///   requests without a route is empty.
    package init(label: @escaping @Sendable (_ pattern: String) -> String) {
        self.label = label
    }

    /// Returns the metrics of a route, which is added to the meter.
    func metrics(of pattern: String) -> RequestMetrics {
        let name = label(pattern)
        return metrics.withLock { metrics in
            if let known = metrics[name] { return known }
            let new = RequestMetrics(route: name)
            metrics[name] = new
            return new
        }
    }

    /// The metrics of all routes, sorted by their names.
    package var all: [RequestMetrics] {
        metrics.withLock { $0.values.sorted { $0.route < $1.route } }
    }
}

/// A request that was answered, for the log.
package struct AnsweredRequest: Sendable {
    /// The method.
    package let method: Method
    /// The name of the route in metrics.
    package let route: String
    /// The status of the response.
    package let status: Int
    /// The time from the request line's arrival to the response.
    package let nanoseconds: Int
}
