/// A point in time in the two formats that e-mails use, both in UTC.
package struct MailTime: Sendable, Equatable {
    private let year: Int64, month: Int64, day: Int64
    private let weekday: Int
    private let hour: Int64, minute: Int64, second: Int64

    /// Converts a time.
    ///
    /// - Parameter milliseconds: milliseconds since 1970, by the database's clock.
    package init(milliseconds: Int64) {
        let seconds = milliseconds.flooredQuotient(1000)
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

    /// The time for the Date header (RFC 5322 section 3.3): "Fri, 20 Nov 2026 20:31:05 +0000".
    package var header: String {
        "\(Self.weekdays[weekday]), \(day) \(Self.months[Int(month - 1)]) \(year) "
            + "\(Self.two(hour)):\(Self.two(minute)):\(Self.two(second)) +0000"
    }

    /// The time for people, to the minute: "2026-11-20 20:31 UTC".
    package var text: String {
        "\(year)-\(Self.two(month))-\(Self.two(day)) \(Self.two(hour)):\(Self.two(minute)) UTC"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// The quotient rounded down, also for negative numbers.
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
