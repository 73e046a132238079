internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /console`: shows how many users there are, and what happened in the last day.
struct ConsoleOverview: ConsolePage {
    static let section = ConsoleSection.overview
    let services: Services

    func decode(_ request: Request, _ visit: ConsoleVisit) throws {}

    func find(_ input: Void, for caller: ConsoleCaller, in transaction: Transaction) throws {}

    func show(_ found: Void, in frame: ConsoleFrame) throws -> Response {
        let installation = services.metrics.installation
        let numbers: [(name: String, value: Markup?)] = [
            ("Users", installation.map { "\($0.permanentUsers)" }),
            ("Guests", installation.map { "\($0.guests)" }),
            ("E-mails waiting", installation.map { "\($0.dueMails + $0.postponedMails + $0.leasedMails)" }),
            ("Counted", installation.map { .time($0.readAt) } ?? "not yet; within a minute"),
        ]
        let day = services.metrics.day.counts(at: SystemClock.now())
        return try frame.page(
            "overview",
            title: "Overview",
            parts: ["numbers": .facts(numbers), "charts": day.map(Markup.chart).joined()]
        )
    }
}

extension Markup {
    private static let height = 60

    /// A chart with a bar for each hour, and the same numbers as a table.
    fileprivate static func chart(_ series: DayCounts.Series) -> Markup {
        let most = max(1, series.hours.map(\.count).max() ?? 1)
        let bars = series.hours.enumerated().map { index, hour -> Markup in
            let height = hour.count == 0 ? 0 : max(2, hour.count * Self.height / most)
            return "<rect x=\"\(index * 10 + 1)\" y=\"\(Self.height - height)\" width=\"8\" height=\"\(height)\"/>"
        }
        let total = series.hours.reduce(0) { $0 + $1.count }
        let rows = series.hours.reversed().map { hour -> [Markup] in
            let exact = Timestamp.rfc3339(milliseconds: hour.start)
            // Without the year, so that the tables of five charts go beside each other.
            let shown = String(
                Timestamp.minute(milliseconds: hour.start).dropFirst("2026-".count).prefix("11-25 11:00".count)
            )
            return ["<time datetime=\"\(exact)\">\(shown)</time>", "\(hour.count)"]
        }
        let name = series.kind.name
        return """
            <figure class="chart"><figcaption>\(name) <strong>\(total)</strong></figcaption>
            <svg viewBox="0 0 240 \(Self.height)" role="img" aria-label="\(name) of each of the last 24 hours, at most \(most)">\(bars.joined())\
            <line x1="0" y1="\(Self.height)" x2="240" y2="\(Self.height)"/></svg>
            <details><summary>\(name) as a table</summary>\(.table(name, ["Hour", "Count"], rows, empty: ""))</details></figure>
            """
    }
}
