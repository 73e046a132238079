import Foundation
import Testing

@testable import Telemetry

@Suite("Counters and histograms") struct CounterTests {
    @Test func `lose nothing when many threads count at once`() async {
        let counter = Counter()
        let histogram = Histogram(bounds: [1, 10])
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for value in 0..<20_000 {
                        counter.add(2)
                        histogram.record(value % 20)
                    }
                }
            }
        }
        #expect(counter.value == 320_000)
        let snapshot = histogram.snapshot
        #expect(snapshot.counts == [16_000, 72_000, 72_000])
        #expect(snapshot.sum == 8 * 1000 * (0..<20).reduce(0, +))
    }

    @Test func `put a value into the bucket whose bound it equals`() {
        let histogram = Histogram(bounds: [5, 10])
        for value in [5, 6, 10, 11] { histogram.record(value) }
        #expect(histogram.snapshot == Histogram.Snapshot(bounds: [5, 10], counts: [1, 2, 1], sum: 32))
    }
}

@Suite("The text of a scrape") struct ScrapeTests {
    private static func text(_ format: Exposition.Format, _ body: (inout Exposition) -> Void) -> String {
        var text = Exposition(format)
        body(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test func `names counters as each format wants them`() {
        let plain = Self.text(.prometheus) { $0.counter("a_b", "Help.", 3) }
        #expect(plain == "# HELP a_b_total Help.\n# TYPE a_b_total counter\na_b_total 3\n")
        let open = Self.text(.openMetrics) { $0.counter("a_b", "Help.", 3) }
        #expect(open == "# HELP a_b Help.\n# TYPE a_b counter\na_b_total 3\n# EOF\n")
    }

    @Test func `escapes labels`() {
        let text = Self.text(.prometheus) { $0.gauge("a", "Two\nlines.", [([("l", "q\"b\\n\nx")], 0.5)]) }
        #expect(text == "# HELP a Two\\nlines.\n# TYPE a gauge\na{l=\"q\\\"b\\\\n\\nx\"} 0.5\n")
    }

    @Test func `adds up the buckets of a histogram, in the unit of its name`() {
        let value = Histogram.Snapshot(bounds: [5_000_000, 1_000_000_000], counts: [1, 2, 4], sum: 2_500_000_000)
        let text = Self.text(.openMetrics) { $0.histogram("t_seconds", "T.", scale: 1e9, [([("r", "x")], value)]) }
        #expect(
            text == """
                # HELP t_seconds T.
                # TYPE t_seconds histogram
                t_seconds_bucket{r="x",le="0.005"} 1
                t_seconds_bucket{r="x",le="1.0"} 3
                t_seconds_bucket{r="x",le="+Inf"} 7
                t_seconds_sum{r="x"} 2.5
                t_seconds_count{r="x"} 7
                # EOF

                """
        )
    }

    @Test func `counts its series`() {
        var text = Exposition(.prometheus)
        text.gauge("a", "A.", [([("l", "1")], 1), ([("l", "2")], 2)])
        text.gauge("none", "N.", [])
        text.gauge("missing", "M.", nil)
        text.info("build", "B.", [("version", "1")])
        #expect(text.series == 3)
    }

    @Test func `writes numbers without a needless fraction`() {
        #expect(
            Exposition.number(0) == "0" && Exposition.number(1.5) == "1.5" && Exposition.number(.infinity) == "+Inf"
        )
        #expect(Exposition.number(1_700_000_000.25) == "1700000000.25")
    }
}

@Suite("A budget of series") struct SeriesBudgetTests {
    @Test func `keeps what it admitted and refuses the rest`() {
        var budget = SeriesBudget<Int>(limit: 2)
        #expect(budget.admits(1) && budget.admits(2) && !budget.admits(3) && budget.admits(1))
    }
}

@Suite("The tag of a request") struct RequestTagTests {
    @Test func `differs from those of other requests`() {
        let ids = Set((0..<10_000).map { RequestTag(seed: 7, request: $0).id })
        #expect(ids.count == 10_000)
        #expect(ids.allSatisfy { $0.utf8.count == 13 && $0.allSatisfy { $0.isLowercase || $0.isNumber } })
    }

    @Test func `is known where work runs for the request, and nowhere else`() async {
        let tag = RequestTag(seed: 1, request: 1), other = RequestTag(seed: 1, request: 2)
        #expect(RequestTag.current?.id == nil)
        tag.run {
            #expect(RequestTag.current?.id == tag.id)
            other.run { #expect(RequestTag.current?.id == other.id) }
            #expect(RequestTag.current?.id == tag.id)
        }
        #expect(RequestTag.current?.id == nil)
        await RequestTag.run(tag) {
            await Task.yield()
            #expect(RequestTag.current?.id == tag.id)
        }
        #expect(RequestTag.current?.id == nil)
    }

    @Test(
        arguments: [
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "0af7651916cd43dd8448eb211c80319c"),
            ("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", "0af7651916cd43dd8448eb211c80319c"),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", nil),
            ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", nil),
            ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", nil),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", nil),
            ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", nil),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b71692033-01", nil), ("", nil), ("x", nil), ("---", nil),
        ] as [(String, String?)]
    )
    func `follows a traceparent that is well-formed, and no other`(text: String, trace: String?) {
        var tag = RequestTag(seed: 1, request: 1)
        tag.follow(text)
        #expect(tag.traceID == trace)
    }
}
