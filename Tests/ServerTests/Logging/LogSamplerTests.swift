import Glibc
import JSON
import Server
import Synchronization
import Testing

@Suite("Sampled log lines")
struct LogSamplerTests {
    private final class Time: Sendable {
        let now = Mutex<Int64>(0)
    }

    private static func sampler() -> (LogSampler, Lines, Time) {
        let lines = Lines(), time = Time()
        let logger = Log { lines.add(String(decoding: $0, as: UTF8.self)) }
        return (LogSampler(logger) { time.now.withLock(\.self) }, lines, time)
    }

    @Test func `the first line of a minute is logged at once, and the sum of the others at its end`() {
        let (sampler, lines, time) = Self.sampler()
        for _ in 0..<1000 { sampler("http.address-refused") }
        sampler("http.deadline-passed")
        #expect(lines.all.count == 2)
        time.now.withLock { $0 = 59_999 }
        sampler.logSums()
        #expect(lines.all.count == 2)
        time.now.withLock { $0 = 60_000 }
        sampler.logSums()
        sampler.logSums()
        #expect(lines.all.count == 3)
        #expect(lines.contains(#""event":"http.address-refused","repeated":999"#))
        sampler("http.address-refused")
        #expect(lines.all.count == 4)
    }

    @Test func `sampled lines are few, however different their details`() {
        let (sampler, lines, time) = Self.sampler()
        for number in 0..<1000 { sampler("http.library", detail: "\(number)") }
        #expect(lines.all.count <= 33)
        #expect(lines.contains(#""detail":"0""#))
        time.now.withLock { $0 = 60_000 }
        sampler.logSums()
        #expect(lines.all.count <= 34)
        #expect(lines.contains(#""event":"http.library","repeated":967"#))
    }

    @Test func `sampled lines of failed requests name the path of the first and the reason of all`() {
        let (sampler, lines, time) = Self.sampler()
        for path in ["/0", "/1", "/2"] {
            sampler("request.failed", "reason", detail: "away", beside: ("path", .string(path)))
        }
        #expect(lines.all.count == 1 && lines.contains(#""event":"request.failed","path":"/0","reason":"away"}"#))
        time.now.withLock { $0 = 60_000 }
        sampler.logSums()
        #expect(lines.contains(#""event":"request.failed","reason":"away","repeated":2}"#))
    }

    @Test func `sampled lines of refused connections do not fill the log`() async throws {
        try await TestServer.runInProduction(["LIMITS_CONNECTIONS_PER_CLIENT": "2"]) { server in
            server.clock.freeze()
            let held = try (0..<2).map { _ in try HTTPConnection(port: server.port, from: "127.0.0.7") }
            for _ in 0..<50 { _ = try HTTPConnection(port: server.port, from: "127.0.0.7") }
            try server.eventually("a line") { server.log.contains("http.address-refused") }
            usleep(200_000)
            #expect(server.log.all.filter { $0.contains("http.address-refused") }.count <= 2)
            withExtendedLifetime(held) {}
        }
    }
}
