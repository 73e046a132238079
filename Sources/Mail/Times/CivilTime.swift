/// A time on the calendar and the clock, at a distance from UTC.
struct CivilTime: Equatable {
    let year: Int64, month: Int64, day: Int64
    /// The day of the week, from Sunday, which is 0.
    let weekday: Int
    let hour: Int64, minute: Int64, second: Int64

    /// Converts a time.
    ///
    /// - Parameters:
    ///   - seconds: seconds since 1970.
    ///   - offset: the seconds by which local clocks are ahead of UTC.
    init(seconds: Int64, offset: Int64 = 0) {
        let seconds = seconds.addingReportingOverflow(offset).partialValue
        let days = seconds.flooredQuotient(86_400)
        let rest = seconds - days * 86_400
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        // 1970-01-01 was a Thursday.
        weekday = Int((days % 7 + 7 + 4) % 7)
        // The Gregorian calendar with years that start in March, so that the leap day comes last.
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Returns the days from 1970-01-01 to a day of the Gregorian calendar.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The time to the minute: "2026-11-20 20:31".
    var text: String {
        "\(year)-\(Self.two(month))-\(Self.two(day)) \(Self.two(hour)):\(Self.two(minute))"
    }

    /// A number with at least two digits.
    static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// The quotient rounded down, also for negative numbers.
    func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
