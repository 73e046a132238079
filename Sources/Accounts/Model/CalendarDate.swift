/// A day of the Gregorian calendar in UTC, from 1970 on, written `2027-01-31`.
package struct CalendarDate: Equatable {
    package let year: Int
    package let month: Int
    package let day: Int

    /// Parses a day from 1970 to 9999; `nil` if the text is not such a day.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            (1970...9999).contains(year), (1...12).contains(month), day >= 1
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        guard CalendarDate(milliseconds: startOfDay) == self else { return nil }
    }

    /// Makes the day of a time in milliseconds since 1970.
    package init(milliseconds: Int64) {
        // Days to civil date, by Howard Hinnant's algorithm: eras of 400 years that begin on 1 March.
        let days = Int(milliseconds.quotientAndRemainder(dividingBy: 86_400_000).quotient) + 719_468
        let era = days / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Midnight at the start of the day, in milliseconds since 1970.
    package var startOfDay: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468) * 86_400_000
    }

    /// Midnight at the end of the day, in milliseconds since 1970.
    package var endOfDay: Int64 { startOfDay + 86_400_000 }
}
