/// The rule at the end of a time zone's file, such as "CET-1CEST,M3.5.0,M10.5.0/3".
///
/// It is the value of `TZ` in POSIX, with hours up to 167 (RFC 8536 section 3.3.1).
struct TimeZoneRule: Sendable, Equatable {
    /// A day of the year with a time, at which clocks change.
    struct Change: Sendable, Equatable {
        enum Day: Sendable, Equatable {
            /// A weekday from Sunday, which is 0, of a week of a month; week 5 is the last.
            case weekday(Int64, week: Int64, month: Int64)
            /// A day from 1 that does not count 29 February.
            case dayWithoutLeap(Int64)
            /// A day from 0.
            case day(Int64)
        }

        let day: Day
        /// The time after midnight by local clocks, in seconds; it may be negative.
        let time: Int64
    }

    struct Summer: Sendable, Equatable {
        let offset: Int64
        let start: Change, end: Change
    }

    /// The distance from UTC in standard time, in seconds to the east.
    let standard: Int64
    /// Daylight saving time; `nil` without.
    let summer: Summer?

    /// Parses a rule; `nil` if the text is not one.
    init?(_ text: String) {
        var parser = Parser(rest: Array(text.utf8)[...])
        guard parser.name(), let standard = parser.time(hours: 24) else { return nil }
        self.standard = -standard
        guard !parser.rest.isEmpty else {
            summer = nil
            return
        }
        guard parser.name() else { return nil }
        var offset = self.standard + 3600
        if parser.rest.first != UInt8(ascii: ",") {
            guard let other = parser.time(hours: 24) else { return nil }
            offset = -other
        }
        guard let start = parser.change(), let end = parser.change(), parser.rest.isEmpty else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    /// Returns the seconds by which local clocks are ahead of UTC.
    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilTime(seconds: seconds, offset: standard).year
        let start = Self.seconds(of: summer.start, in: year) - standard
        let end = Self.seconds(of: summer.end, in: year) - summer.offset
        // In the south, summer begins in one year and ends in the next.
        let isSummer = start < end ? (start..<end).contains(seconds) : !(end..<start).contains(seconds)
        return isSummer ? summer.offset : standard
    }

    /// The time of a change by local clocks, in seconds since 1970.
    private static func seconds(of change: Change, in year: Int64) -> Int64 {
        let newYear = CivilTime.days(year: year, month: 1, day: 1)
        let day: Int64
        switch change.day {
        case .day(let number): day = newYear + number
        case .dayWithoutLeap(let number):
            // Day 60 is 1 March.
            day = number < 60 ? newYear + number - 1 : CivilTime.days(year: year, month: 3, day: 1) + number - 60
        case .weekday(let weekday, let week, let month):
            let first = CivilTime.days(year: year, month: month, day: 1)
            let next = CivilTime.days(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
            // 1970-01-01 was a Thursday.
            let firstWeekday = (first + 4) % 7
            let candidate = first + (weekday - (firstWeekday + 7) % 7 + 7) % 7 + (week - 1) * 7
            day = candidate < next ? candidate : candidate - 7
        }
        return day * 86_400 + change.time
    }
}

/// Reads the parts of a rule in order.
private struct Parser {
    var rest: ArraySlice<UInt8>

    /// Skips a name: letters, or any characters in angle brackets; false if there is none.
    mutating func name() -> Bool {
        if rest.first == UInt8(ascii: "<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let letters = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
        rest = rest[letters.endIndex...]
        return letters.count >= 3
    }

    /// Reads hours with optional minutes and seconds, "-5:30", in seconds.
    mutating func time(hours limit: Int64) -> Int64? {
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard let hours = number(0...limit) else { return nil }
        var seconds = hours * 3600
        for unit: Int64 in [60, 1] where rest.first == UInt8(ascii: ":") {
            rest = rest.dropFirst()
            guard let part = number(0...59) else { return nil }
            seconds += part * unit
        }
        return sign * seconds
    }

    /// Reads a comma, a day, and a time after a slash, which is 2 o'clock if it is missing.
    mutating func change() -> TimeZoneRule.Change? {
        guard skip(","), let day = day() else { return nil }
        guard skip("/") else { return TimeZoneRule.Change(day: day, time: 2 * 3600) }
        return time(hours: 167).map { TimeZoneRule.Change(day: day, time: $0) }
    }

    private mutating func day() -> TimeZoneRule.Change.Day? {
        if skip("M") {
            guard let month = number(1...12), skip("."), let week = number(1...5), skip("."), let day = number(0...6)
            else { return nil }
            return .weekday(day, week: week, month: month)
        }
        if skip("J") { return number(1...365).map { .dayWithoutLeap($0) } }
        return number(0...365).map { .day($0) }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }.prefix(4)
        guard let number = Int64(String(decoding: digits, as: UTF8.self)), range.contains(number) else { return nil }
        rest = rest[digits.endIndex...]
        return number
    }
}
