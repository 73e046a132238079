import Foundation
import HTTPServer
import Telemetry
import Testing

@testable import Server

@Suite("Metrics")
struct MetricsTests {
    private static let settings = ["METRICS_LISTEN": "127.0.0.1:0"]

    @Test func `are on the private listeners, and on the public one never`() async throws {
        try await TestServer.run(Self.settings.merging(["ADMIN_LISTEN": "127.0.0.1:0"]) { $1 }) { server in
            #expect(try server.send("GET", "/metrics").status == 404)
            let admin = try TestServer.port(of: server.instance.adminListener)
            #expect(try TestServer.get("/metrics", admin).status == 200)
            #expect(try TestServer.get("/metrics", admin, ["Host: evil.example"]).status == 403)
            let own = try TestServer.port(of: server.instance.metricsListener)
            #expect(try TestServer.get("/metrics", own).status == 200)
            #expect(try TestServer.get("/readyz", own).status == 200)
            #expect(try TestServer.get("/v1/projects/p/users/x", own).status == 404)
        }
    }

    @Test func `count what guests, links and requests do`() async throws {
        try await TestServer.run(Self.settings) { server in
            let guest = try server.guest()
            #expect(!guest.uid.isEmpty)
            _ = try server.send("GET", "/v1/nothing-here")
            try server.eventually("the installation was read") {
                try server.metrics().1[#"latchkey_users{user="guest"}"#] != nil
            }
            let (reply, series) = try server.metrics()
            #expect(reply.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
            #expect(series[#"latchkey_http_requests_total{route="/v1/accounts:signUp",status="200"}"#] == 1)
            #expect(series[#"latchkey_http_request_duration_seconds_count{route="/v1/accounts:signUp"}"#] == 1)
            #expect(series[#"latchkey_http_requests_total{route="unmatched",status="404"}"#] == 1)
            #expect(series[#"latchkey_user_events_total{event="user.created",user="guest"}"#] == 1)
            #expect(series[#"latchkey_database_transactions_total{kind="SignUp"}"#] == 1)
            #expect(series["latchkey_ready"] == 1 && series["latchkey_database_up"] == 1)
            #expect((series["process_resident_memory_bytes"] ?? 0) > Double(1 << 20))
            #expect((series["process_open_fds"] ?? 0) > 3 && (series["process_cpu_seconds_total"] ?? 0) > 0)
        }
    }

    @Test func `stay bounded whatever is asked, and hold nothing that a client chose`() async throws {
        try await TestServer.run(Self.settings) { server in
            // Every route with and without a body, so that each has all the answers that strangers can cause.
            for (method, pattern) in server.instance.routes {
                let path = pattern.replacing("{", with: "").replacing("}", with: "")
                let body = method == .get ? [] : Array("{".utf8)
                _ = try? server.send(method.rawValue, path, body: body)
                _ = try? server.send(method.rawValue, "\(path)?key=k", body: body.isEmpty ? [] : body + Array("}".utf8))
            }
            // The first unknown path and the first scrape each begin the series of their own route.
            #expect(try server.send("GET", "/v1/secret/x").status == 404)
            try server.eventually("the installation was read") {
                try server.metrics().1["latchkey_installation_read_timestamp_seconds"] != nil
            }
            let before = try server.metrics().1
            let connection = try HTTPConnection(port: server.port)
            for number in 0..<10_000 {
                try connection.send(
                    TestServer.request("GET", "/v1/secret-\(number)/x", headers: [], body: [])
                )
                #expect(try connection.answer().status == 404)
            }
            let (reply, after) = try server.metrics()
            // Work in the background begins the series of its own kinds of transactions meanwhile. The second reading of
            // the installation, after a minute, adds the leases of that work.
            let new = Set(after.keys).subtracting(before.keys).filter {
                !$0.contains("{kind=") && !$0.hasPrefix("latchkey_lease_remaining_seconds{work=")
            }
            #expect(new.isEmpty, "\(new)")
            #expect(after.count <= 1000, "\(after.count) series")
            #expect(!reply.text.contains("secret"))
        }
    }

    @Test func `never wait for the database`() async throws {
        try await TestServer.run(Self.settings) { server in
            _ = try server.guest()
            let hold = server.faults.hold("INSERT INTO users")
            defer { hold.release() }
            Thread { _ = try? server.guest() }.start()
            try server.eventually("the write hangs") { hold.isReached }
            #expect(try server.metrics().1["latchkey_ready"] != nil)
        }
    }

    @Test func `are OpenMetrics if the scraper prefers it`() async throws {
        try await TestServer.run(Self.settings) { server in
            let accept =
                "Accept: application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
            let (reply, _) = try server.metrics([accept])
            #expect(reply.header("content-type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            #expect(reply.text.hasSuffix("# EOF\n"))
        }
    }

    @Test(
        arguments: [
            ("", Exposition.Format.prometheus), ("*/*", .prometheus), ("text/html, */*;q=0.1", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text; version=2.0.0", .prometheus),
            ("application/openmetrics-text; version=1.0.0; q=0", .prometheus),
            ("application/openmetrics-text;version=1.0.0;q=0.4,text/plain;q=0.5", .prometheus),
            (",;q=,=;,application/openmetrics-text;version=\"1.0.0\"", .openMetrics),
        ] as [(String, Exposition.Format)]
    )
    func `choose the format by Accept`(accept: String, format: Exposition.Format) {
        #expect(AcceptedFormat.of(accept) == format)
    }

    @Test func `name routes by their patterns or groups`() {
        #expect(RouteLabel.of("") == "unmatched")
        #expect(RouteLabel.of("/identitytoolkit.googleapis.com/v1/accounts:signUp") == "/v1/accounts:signUp")
        #expect(RouteLabel.of("/securetoken.googleapis.com/v1/token") == "/v1/token")
        #expect(RouteLabel.of("/v2/projects/{project}/tenants/{tenant}") == "not-built")
        #expect(RouteLabel.of("/") == "/" && RouteLabel.of("/demo/{file}") == "/demo")
    }
}
