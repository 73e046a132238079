import Foundation
import HTTPServer
import Testing

@Suite("Whether the serving threads answer", .timeLimit(.minutes(1))) struct ProbeTests {
    @Test(arguments: [1, 2, 3]) func `idle threads answer`(threads: Int) async throws {
        try await TestServer.run(configure: { $0.threads = threads }) { test in
            for _ in 0..<20 { #expect(test.server.answers(within: .seconds(10))) }
            // The connections of the probes are closed again.
            let deadline = ContinuousClock.now + .seconds(10)
            while test.server.connectionCount > 0, ContinuousClock.now < deadline { usleep(1000) }
            #expect(test.server.connectionCount == 0)
        }
    }

    /// Each thread is asked, whichever the library would give the next connection to.
    @Test(arguments: [1, 2, 3]) func `one thread that is stuck is noticed`(threads: Int) async throws {
        let isBusy = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
        try await TestServer.run(
            configure: { $0.threads = threads },
            routes: { router in
                router.add(.get, "/stuck") { _ in
                    isBusy.signal()
                    mayEnd.wait()
                    return .response(.text("late"))
                }
            }
        ) { test in
            let client = try test.connect()
            try client.send("GET /stuck HTTP/1.1\r\nHost: localhost\r\n\r\n")
            isBusy.wait()
            #expect(!test.server.answers(within: .milliseconds(300)))
            mayEnd.signal()
            #expect(test.server.answers(within: .seconds(10)))
        }
    }

    @Test func `a server that has stopped is not stuck`() async throws {
        try await TestServer.run { test in
            test.server.stop(within: .zero)
            #expect(test.server.answers(within: .zero))
        }
    }
}
