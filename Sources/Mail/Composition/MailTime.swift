/// A point in time in the two formats of e-mails that depend on no language, both in UTC.
package struct MailTime: Sendable, Equatable {
    private let time: CivilTime

    /// Converts a time.
    ///
    /// - Parameter milliseconds: milliseconds since 1970, by the database's clock.
    package init(milliseconds: Int64) {
        time = CivilTime(seconds: milliseconds.flooredQuotient(1000))
    }

    /// The time for the Date header (RFC 5322 section 3.3): "Fri, 20 Nov 2026 20:31:05 +0000".
    package var header: String {
        "\(Self.weekdays[time.weekday]), \(time.day) \(Self.months[Int(time.month - 1)]) \(time.year) "
            + "\(CivilTime.two(time.hour)):\(CivilTime.two(time.minute)):\(CivilTime.two(time.second)) +0000"
    }

    /// The time to the minute, for an operator's test e-mail: "2026-11-20 20:31 UTC".
    package var text: String { "\(time.text) UTC" }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
