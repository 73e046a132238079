/// Dates as OpenSSL prints them.
package enum TLSDate {
    /// Parses `Nov 24 22:47:29 2027 GMT`; `nil` for another text.
    package static func moment(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 5, words[4] == "GMT", let month = months.firstIndex(of: String(words[0])),
            let day = Int64(words[1]), (1...31).contains(day), let year = Int64(words[3]), (1970...9999).contains(year)
        else { return nil }
        let clock = words[2].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3, clock.allSatisfy({ (0..<61).contains($0) }) else { return nil }
        // Days since 1970 of a date of the Gregorian calendar, with years that begin in March.
        let number = Int64(month) + 1
        let shifted = number <= 2 ? year - 1 : year
        let era = shifted / 400, yearOfEra = shifted % 400
        let dayOfYear = (153 * (number > 2 ? number - 3 : number + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return ((days * 24 + clock[0]) * 60 + clock[1]) * 60_000 + clock[2] * 1000
    }
}
