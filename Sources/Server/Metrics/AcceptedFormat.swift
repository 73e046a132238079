internal import Telemetry

/// Chooses the format of a scrape (RFC 9110, section 12.5.1).
enum AcceptedFormat {
    /// Returns the format that an `Accept` field prefers: OpenMetrics only if it is named there and not less liked than
    /// Prometheus' own format.
    ///
    /// - Parameter accept: the field, its values joined with commas; empty without one.
    static func of(_ accept: String) -> Exposition.Format {
        var openMetrics = 0.0
        var plain = 0.0
        for range in accept.lowercased().split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.split(separator: " ").joined() }
            var quality = 1.0
            var version: String?
            for part in parts.dropFirst() {
                if part.hasPrefix("q=") { quality = Double(part.dropFirst(2)) ?? 0 }
                if part.hasPrefix("version=") { version = String(part.dropFirst(8)) }
            }
            switch parts.first {
            case "application/openmetrics-text" where version == nil || version == "1.0.0" || version == "\"1.0.0\"":
                openMetrics = max(openMetrics, quality)
            case "text/plain": plain = max(plain, quality)
            default: break
            }
        }
        return openMetrics > 0 && openMetrics >= plain ? .openMetrics : .prometheus
    }
}
