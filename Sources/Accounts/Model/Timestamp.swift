/// Times as text, in UTC.
package enum Timestamp {
    /// Formats a time as `2026-11-20T20:31:05.123Z` (RFC 3339).
    package static func rfc3339(milliseconds: Int64) -> String {
        let date = CalendarDate(milliseconds: milliseconds), time = timeOfDay(milliseconds)
        // Each line of the log has a time, so it is made without a text for each part.
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ number: Int64, digits: Int, then end: Unicode.Scalar) {
            var divisor: Int64 = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
                divisor /= 10
            }
            text.append(UInt8(ascii: end))
        }
        append(Int64(date.year), digits: 4, then: "-")
        append(Int64(date.month), digits: 2, then: "-")
        append(Int64(date.day), digits: 2, then: "T")
        append(time / 3_600_000, digits: 2, then: ":")
        append(time / 60_000 % 60, digits: 2, then: ":")
        append(time / 1000 % 60, digits: 2, then: ".")
        append(time % 1000, digits: 3, then: "Z")
        return String(decoding: text, as: UTF8.self)
    }

    /// Formats a time as `2026-11-20 20:31 UTC`, for people.
    package static func minute(milliseconds: Int64) -> String {
        let time = timeOfDay(milliseconds)
        return "\(day(milliseconds)) \(two(time / 3_600_000)):\(two(time / 60_000 % 60)) UTC"
    }

    /// Returns the milliseconds since 1970 of a time in RFC 3339 that is in UTC (`2027-01-31T12:00:00.5Z`), without its
    /// fraction of a second; `nil` for any other text.
    package static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), bytes.last == UInt8(ascii: "Z"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let day = CalendarDate(String(decoding: bytes[..<10], as: UTF8.self))
        else { return nil }
        func number(_ start: Int, below limit: Int64) -> Int64? {
            let digits = bytes[start..<start + 2].map { Int64($0) - 0x30 }
            guard digits.allSatisfy({ 0 <= $0 && $0 <= 9 }) else { return nil }
            let number = digits[0] * 10 + digits[1]
            return number < limit ? number : nil
        }
        guard let hours = number(11, below: 24), let minutes = number(14, below: 60),
            let seconds = number(17, below: 61)
        else { return nil }
        return day.startOfDay + (hours * 3600 + minutes * 60 + seconds) * 1000
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
