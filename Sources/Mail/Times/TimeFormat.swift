/// How a language writes a date with a time, and how long ago something happened.
///
/// The table ``all`` is generated from CLDR, because Foundation's own copy of that data would make the binary larger by
/// 40 MB.
struct TimeFormat: Sendable {
    /// The order of date and time; each part has its name in braces.
    let pattern: String
    /// The names of the months, from January.
    let months: [String]
    /// The names of the halves of the day.
    let dayPeriods: [String]
    /// "{0} minutes ago", by plural category.
    let minutesAgo: [PluralCategory: String]
    let hoursAgo: [PluralCategory: String]
    let daysAgo: [PluralCategory: String]

    /// Writes a time to the minute, such as "Nov 20, 2026, 8:31 PM".
    func text(_ time: CivilTime) -> String {
        var text = ""
        for part in pattern.split(separator: "{", omittingEmptySubsequences: false) {
            guard let end = part.firstIndex(of: "}") else {
                text += part
                continue
            }
            text += value(part[..<end], of: time)
            text += part[part.index(after: end)...]
        }
        return text
    }

    private func value(_ name: Substring, of time: CivilTime) -> String {
        switch name {
        case "year": String(time.year)
        case "month": months[Int(time.month - 1)]
        case "monthNumber": String(time.month)
        case "day": String(time.day)
        case "hour24": String(time.hour)
        case "twoDigitHour24": CivilTime.two(time.hour)
        case "hour12": String(time.hour % 12 == 0 ? 12 : time.hour % 12)
        case "minute": CivilTime.two(time.minute)
        case "dayPeriod": dayPeriods[time.hour < 12 ? 0 : 1]
        default: ""
        }
    }

    /// Writes how long ago something happened, in whole minutes, hours or days, such as "2 minutes ago".
    ///
    /// - Parameters:
    ///   - seconds: the time since then; less than a minute counts as a minute.
    ///   - rule: the plural rule of the language.
    func ago(_ seconds: Int64, _ rule: PluralRule) -> String {
        let (forms, count) =
            switch seconds {
            case ..<3600: (minutesAgo, max(1, seconds / 60))
            case ..<86_400: (hoursAgo, seconds / 3600)
            default: (daysAgo, seconds / 86_400)
            }
        let form = forms[rule.category(of: Int(count))] ?? forms[.other] ?? "{0}"
        return form.replacing("{0}", with: String(count))
    }
}
