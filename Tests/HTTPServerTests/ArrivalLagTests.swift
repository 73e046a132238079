import Foundation
import Synchronization
import Testing

@testable import HTTPServer

@Suite("A standing queue of requests") struct ArrivalLagTests {
    private static func lag(_ waits: [(wait: Int, at: Int64)]) -> ArrivalLag {
        var lag = ArrivalLag(ArrivalLag.Bounds())
        for (wait, now) in waits { _ = lag.refuses(wait, at: now) }
        return lag
    }

    /// Requests at a steady pace, all with the same wait.
    private static func steady(_ wait: Int, _ times: Range<Int64>, every pause: Int64 = 5) -> [(wait: Int, at: Int64)] {
        stride(from: times.lowerBound, to: times.upperBound, by: Int64.Stride(pause)).map { (wait, $0) }
    }

    @Test func `it stands when all requests of an interval waited for too long`() {
        #expect(!Self.lag(Self.steady(60, 0..<500)).isStanding)
        #expect(Self.lag(Self.steady(60, 0..<510)).isStanding)
        #expect(!Self.lag(Self.steady(49, 0..<2000)).isStanding)
    }

    @Test func `a burst or a short stop of a thread is no standing queue`() {
        #expect(!Self.lag(Self.steady(60, 0..<400) + [(3, 400)] + Self.steady(60, 405..<510)).isStanding)
        #expect(!Self.lag(Self.steady(900, 0..<100) + Self.steady(2, 100..<2000)).isStanding)
    }

    @Test func `few requests are no standing queue, however long they wait`() {
        #expect(!Self.lag(Self.steady(900, 0..<5000, every: 17)).isStanding)
    }

    @Test func `late requests are refused but for one in four, and others are served`() {
        var lag = Self.lag(Self.steady(60, 0..<510))
        let refused = (0..<100).count { _ in lag.refuses(50, at: 511) }
        #expect(refused == 75)
        #expect((0..<100).allSatisfy { _ in !lag.refuses(49, at: 511) })
    }

    @Test func `it ends when no request of an interval waited for too long`() {
        let standing = Self.steady(60, 0..<1000)
        #expect(Self.lag(standing + [(60, 1000)] + Self.steady(30, 1005..<1510)).isStanding)
        #expect(!Self.lag(standing + [(60, 1000)] + Self.steady(30, 1005..<2010)).isStanding)
    }

    @Test func `what was measured before a pause says nothing`() {
        #expect(!Self.lag(Self.steady(60, 0..<499) + [(900, 5000)]).isStanding)
        #expect(!Self.lag(Self.steady(60, 0..<1000) + [(900, 5000)]).isStanding)
    }

    @Test func `requests that waited for too long say so, until the server has caught up`() async throws {
        let refused = Atomic(0)
        try await TestServer.run(
            configure: { configuration in
                configuration.threads = 1
                configuration.lag.requests = 4
                // Long, because after twice an interval without a request, such as a stall of the machine, what was measured
                // before does not count.
                configuration.lag.interval = 2000
            },
            routes: { router in
                router.add(.get, "/slow") { request in
                    guard !request.hasWaitedTooLong else {
                        refused.add(1, ordering: .relaxed)
                        return .response(.text("refused"))
                    }
                    usleep(2000)
                    return .response(.text("served"))
                }
            }
        ) { test throws in
            let clients = try (0..<100).map { _ in try test.connect() }
            let request = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"
            for client in clients { try client.send(request) }
            // A closed loop: each request waits for the 99 of the others, which take 200 ms at least.
            let end = ContinuousClock.now + .seconds(120)
            while refused.load(ordering: .relaxed) == 0, ContinuousClock.now < end {
                for client in clients {
                    _ = try client.reply()
                    try client.send(request)
                }
            }
            for client in clients { _ = try client.reply() }
            #expect(refused.load(ordering: .relaxed) > 0)
            // With a single client no request waits.
            let caughtUp = eventually { (try? clients[0].request("GET", "/slow").text) == "served" }
            #expect(caughtUp)
        }
    }
}
