/// Times as text, in UTC.
package enum Timestamp {
    /// Formats a time as `2026-11-20T20:31:05.123Z` (RFC 3339).
    package static func rfc3339(milliseconds: Int64) -> String {
        let time = timeOfDay(milliseconds)
        return "\(day(milliseconds))T\(two(time / 3_600_000)):\(two(time / 60_000 % 60)):\(two(time / 1000 % 60))."
            + "\(time % 1000 < 100 ? "0" : "")\(two(time % 1000))Z"
    }

    /// Formats a time as `2026-11-20 20:31 UTC`, for people.
    package static func minute(milliseconds: Int64) -> String {
        let time = timeOfDay(milliseconds)
        return "\(day(milliseconds)) \(two(time / 3_600_000)):\(two(time / 60_000 % 60)) UTC"
    }

    private static func day(_ milliseconds: Int64) -> String {
        let date = CalendarDate(milliseconds: milliseconds)
        return "\(date.year)-\(two(Int64(date.month)))-\(two(Int64(date.day)))"
    }

    private static func timeOfDay(_ milliseconds: Int64) -> Int64 {
        ((milliseconds % 86_400_000) + 86_400_000) % 86_400_000
    }

    private static func two(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
