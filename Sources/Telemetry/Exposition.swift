/// The text of a scrape: metrics in one of the two formats that Prometheus reads.
///
/// Sources: Prometheus text format 0.0.4; OpenMetrics 1.0, section "Text format".
package struct Exposition: Sendable {
    /// The format of the text.
    package enum Format: Sendable, CaseIterable {
        /// Prometheus' own text format.
        case prometheus
        /// OpenMetrics 1.0.
        case openMetrics

        /// The media type of the text.
        package var contentType: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }

    /// The labels of a series, in order.
    package typealias Labels = [(name: String, value: String)]

    /// The format of the text.
    package let format: Format
    /// The number of series so far.
    package private(set) var series = 0
    private var text: [UInt8] = []

    /// Makes an empty text.
    package init(_ format: Format) {
        self.format = format
        text.reserveCapacity(64 << 10)
    }

    /// The complete text.
    package var bytes: [UInt8] {
        format == .openMetrics ? text + Array("# EOF\n".utf8) : text
    }

    /// Adds a metric whose value goes up and down.
    ///
    /// Leaves the metric out if it has no series.
    package mutating func gauge(_ name: String, _ help: String, _ series: [(labels: Labels, value: Double)]) {
        guard !series.isEmpty else { return }
        head(name, type: "gauge", help)
        for (labels, value) in series { sample(name, labels, value) }
    }

    /// Adds a metric with one series whose value goes up and down; leaves it out without a value.
    package mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
        guard let value else { return }
        gauge(name, help, [([], value)])
    }

    /// Adds a metric whose value only grows.
    ///
    /// - Parameters:
    ///   - name: the name without `_total`, which the samples get.
    ///   - help: what is counted.
    ///   - series: the series with their labels; without any, the metric is left out.
    package mutating func counter(_ name: String, _ help: String, _ series: [(labels: Labels, value: Double)]) {
        guard !series.isEmpty else { return }
        head(format == .openMetrics ? name : "\(name)_total", type: "counter", help)
        for (labels, value) in series { sample("\(name)_total", labels, value) }
    }

    /// Adds a metric with one series whose value only grows.
    package mutating func counter(_ name: String, _ help: String, _ value: Int) {
        counter(name, help, [([], Double(value))])
    }

    /// Adds a metric that is always 1 and says something in its labels.
    ///
    /// - Parameter name: the name without `_info`, which the sample gets.
    package mutating func info(_ name: String, _ help: String, _ labels: Labels) {
        switch format {
        case .openMetrics: head(name, type: "info", help)
        case .prometheus: head("\(name)_info", type: "gauge", help)
        }
        sample("\(name)_info", labels, 1)
    }

    /// Adds histograms.
    ///
    /// - Parameters:
    ///   - name: the name, which ends in the unit.
    ///   - help: what is measured.
    ///   - scale: the number of recorded units in one of the metric's units, such as 10⁹ for nanoseconds in seconds.
    ///   - series: the histograms with their labels; without any, the metric is left out.
    package mutating func histogram(
        _ name: String,
        _ help: String,
        scale: Double = 1,
        _ series: [(labels: Labels, value: Histogram.Snapshot)]
    ) {
        guard !series.isEmpty else { return }
        head(name, type: "histogram", help)
        for (labels, value) in series {
            var total = 0
            for (index, count) in value.counts.enumerated() {
                total += count
                let bound = index < value.bounds.count ? "\(Double(value.bounds[index]) / scale)" : "+Inf"
                sample("\(name)_bucket", labels + [("le", bound)], Double(total))
            }
            sample("\(name)_sum", labels, Double(value.sum) / scale)
            sample("\(name)_count", labels, Double(total))
        }
    }

    private mutating func head(_ name: String, type: String, _ help: String) {
        append("# HELP \(name) ")
        escape(help, quotes: format == .openMetrics)
        append("\n# TYPE \(name) \(type)\n")
    }

    private mutating func sample(_ name: String, _ labels: Labels, _ value: Double) {
        series += 1
        append(name)
        if !labels.isEmpty {
            for (index, label) in labels.enumerated() {
                append("\(index == 0 ? "{" : ",")\(label.name)=\"")
                escape(label.value, quotes: true)
                append("\"")
            }
            append("}")
        }
        append(" \(Self.number(value))\n")
    }

    /// Returns a number as both formats write it: whole numbers without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return "\(whole)" }
        return "\(value)"
    }

    private mutating func escape(_ value: String, quotes: Bool) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\"") where quotes: append("\\\"")
            default: text.append(byte)
            }
        }
    }

    private mutating func append(_ part: String) {
        text += part.utf8
    }
}
