/// A maximum number of uses in a fixed window of time, counted in the database so that it holds across nodes.
package struct Limit: Sendable, Equatable {
    package var count: Int64
    /// The length of the window, in milliseconds.
    package var window: Int64

    /// At most `count` times an hour.
    package static func hourly(_ count: Int64) -> Limit { Limit(count: count, window: 3_600_000) }

    /// At most `count` times a day.
    package static func daily(_ count: Int64) -> Limit { Limit(count: count, window: 86_400_000) }
}
