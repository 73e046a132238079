/// Writes times for people, in a language and in a time zone.
package struct TimeWriter: Sendable {
    private let format: TimeFormat?
    private let rule: PluralRule
    private let zones: TimeZones

    /// Prepares a language.
    ///
    /// - Parameters:
    ///   - locale: the name of its strings file. Times of a language that the project does not include are written like
    ///     "2026-11-20 20:31".
    ///   - zones: the time zones of the system.
    package init(_ locale: String, zones: TimeZones = .system) {
        format = TimeFormat.all[locale]
        rule = PluralRule(locale)
        self.zones = zones
    }

    /// Writes a time to the minute with its distance from UTC, such as "Nov 20, 2026, 9:31 PM UTC+1".
    ///
    /// - Parameters:
    ///   - milliseconds: the time, in milliseconds since 1970.
    ///   - zone: the name of a time zone of IANA, such as "Europe/Rome"; UTC for `nil` and for an unknown name.
    package func text(_ milliseconds: Int64, in zone: String?) -> String {
        let seconds = milliseconds.flooredQuotient(1000)
        let offset = zone.flatMap { zones[$0] }?.offset(at: seconds) ?? 0
        let time = CivilTime(seconds: seconds, offset: offset)
        return "\(format?.text(time) ?? time.text) \(Self.name(of: offset))"
    }

    /// Writes a time and how long ago it was, such as "Nov 20, 2026, 9:31 PM UTC+1 · 2 minutes ago", for pages.
    ///
    /// An e-mail is read at any time, so it has only ``text(_:in:)``.
    ///
    /// - Parameters:
    ///   - milliseconds: the time, in milliseconds since 1970.
    ///   - zone: the name of a time zone, as in ``text(_:in:)``.
    ///   - now: the present time, in milliseconds since 1970.
    package func text(_ milliseconds: Int64, in zone: String?, asOf now: Int64) -> String {
        let text = text(milliseconds, in: zone)
        let (age, overflows) = now.subtractingReportingOverflow(milliseconds)
        guard let format, age >= 0, !overflows else { return text }
        return "\(text) · \(format.ago(age / 1000, rule))"
    }

    /// The name of a distance from UTC in seconds: "UTC", "UTC+1" or "UTC-3:30".
    private static func name(of offset: Int64) -> String {
        let minutes = offset.magnitude / 60
        guard minutes > 0 else { return "UTC" }
        let hours = "UTC\(offset < 0 ? "-" : "+")\(minutes / 60)"
        return minutes % 60 == 0 ? hours : "\(hours):\(CivilTime.two(Int64(minutes % 60)))"
    }
}
