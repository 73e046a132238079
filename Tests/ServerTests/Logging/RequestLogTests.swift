import Foundation
import JSON
import Telemetry
import Testing

@testable import Server

@Suite("The id of a request")
struct RequestLogTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let traceparent = "traceparent: 00-\(trace)-b7ad6b7169203331-01"

    /// The lines of the log that have an event.
    private static func lines(_ server: TestServer, _ event: String) throws -> [JSONValue] {
        try server.log.all.map { try JSONValue.parse($0) }.filter { $0["event"]?.string == event }
    }

    @Test func `is in the answer and in the log lines of the request, whichever thread writes them`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let id = try #require(guest.answer.header("x-request-id"))
            #expect(id.utf8.count == 13)
            let line = try #require(try Self.lines(server, "user.created").first)
            #expect(line["request"]?.string == id && line["trace"] == nil)
            let other = try server.guest()
            #expect(other.answer.header("x-request-id") != id)
            // A call that is refused before its transaction logs on the connection's own thread.
            let refused = try server.call("accounts:lookup", ["idToken": "x.y.z"])
            let failure = try #require(try Self.lines(server, "failure").first)
            #expect(failure["request"]?.string == refused.header("x-request-id"))
            // Work of the node itself belongs to no request.
            #expect(try Self.lines(server, "transactions").allSatisfy { $0["request"] == nil })
        }
    }

    @Test func `is joined by the trace of a trusted proxy, and of nobody else`() async throws {
        try await TestServer.runInProduction(["TRUSTED_PROXIES": "127.0.0.9"]) { server in
            _ = try server.guest(headers: [Self.traceparent])
            #expect(try Self.lines(server, "user.created").last?["trace"] == nil)
            _ = try server.guest(headers: [Self.traceparent, "X-Forwarded-For: 192.0.2.1"], from: "127.0.0.9")
            #expect(try Self.lines(server, "user.created").last?["trace"]?.string == Self.trace)
            _ = try server.guest(headers: ["traceparent: nonsense"], from: "127.0.0.9")
            #expect(try Self.lines(server, "user.created").last?["trace"] == nil)
        }
    }
}

@Suite("Formats and levels of the log")
struct LogFormatTests {
    private static func lines(_ format: LogFormat, _ level: LogLevel, _ body: (Log) -> Void) -> [String] {
        let lines = Lines()
        let log = Log { lines.add(String(decoding: $0, as: UTF8.self)) }
        log.use(format, from: level)
        body(log)
        return lines.all
    }

    @Test func `write text for people, in which no value can pose as another line or field`() {
        let lines = Self.lines(.text, .info) { log in
            log("user.created", ("uid", "abc"), ("is_anon", true), ("count", 3))
            log("mail", ("level", "error"), ("detail", "two words\nat=\"x\" \u{1B}[2J"))
        }
        #expect(lines.count == 2)
        #expect(lines[0].hasSuffix(" info user.created uid=abc is_anon=true count=3\n"))
        #expect(lines[1].contains(#" error mail detail="two words\nat=\"x\" "#) && !lines[1].contains("\u{1B}"))
    }

    @Test func `leave out what is below the level`() {
        func write(_ log: Log) {
            log("user.created", ("uid", "abc"))
            log("readiness", ("ready", false))
            log("mail", ("level", "info"))
            log("mail", ("level", "error"))
            log("request.failed", ("path", "/"))
        }
        #expect(Self.lines(.json, .info, write).count == 5)
        #expect(Self.lines(.json, .warning, write).count == 3)
        #expect(Self.lines(.json, .error, write).count == 2)
    }

    @Test func `are JSON in production and text in development, unless set`() throws {
        func load(_ settings: [String: String]) throws -> Configuration {
            try Configuration.load(file: nil, environment: settings)
        }
        let production = [
            "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": TestServer.secret, "LATCHKEY_MAIL_FROM": "a@example.com",
            "LATCHKEY_PUBLIC_URL": "https://auth.example.com", "LATCHKEY_SMTP_URL": "smtp://127.0.0.1:1",
        ]
        #expect(try load([:]).logFormat == .text && load(production).logFormat == .json)
        #expect(try load(["LATCHKEY_LOG_FORMAT": "json"]).logFormat == .json)
        #expect(try load(["LATCHKEY_LOG_LEVEL": "error"]).logLevel == .error)
        #expect(throws: ConfigurationError.self) { try load(["LATCHKEY_LOG_FORMAT": "xml"]) }
        #expect(throws: ConfigurationError.self) { try load(["LATCHKEY_METRICS_LISTEN": "10.0.0.1:9464"]) }
        #expect(try load(["LATCHKEY_SHUTDOWN_DRAIN": "5s"]).drain == 5000 && load([:]).drain == 0)
    }
}
