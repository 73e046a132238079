import JSON
import Testing

@testable import Server

@Suite("Clean-up of a running server")
struct CleanupCallTests {
    private static let path = "/v1/projects/demo-latchkey/cleanup"
    private static let owner = ["Authorization: Bearer owner"]

    private static func change(_ server: TestServer, _ body: String) throws -> Answer {
        try server.send("PATCH", path, headers: owner, body: Array(body.utf8))
    }

    @Test func `the setting is read, changed and checked`() async throws {
        try await TestServer.run { server in
            for _ in 0..<3 { _ = try server.guest() }
            let before = try server.send("GET", Self.path, headers: Self.owner)
            let leaving: JSONValue = ["now": 0, "in7Days": 0, "in30Days": 3]
            #expect(
                before.json == [
                    "enabled": false, "days": 30, "since": "creation", "guests": 3, "scheduled": 0, "leaving": leaving,
                    "blocked": [:],
                ]
            )
            let sooner = try server.send("GET", "\(Self.path)?days=5&since=lastUse", headers: Self.owner)
            #expect(sooner.json["leaving"] == ["now": 0, "in7Days": 3, "in30Days": 3])
            #expect(sooner.json["days"] == 30, "only supposed")
            let on = try Self.change(server, #"{"enabled":true,"days":5}"#)
            #expect(on.json == ["enabled": true, "days": 5, "since": "creation"])
            #expect(
                try Self.change(server, #"{"since":"lastUse"}"#).json == [
                    "enabled": true, "days": 5, "since": "lastUse",
                ]
            )
            #expect(try Self.change(server, "{}").json == ["enabled": true, "days": 5, "since": "lastUse"])
            try server.eventually("the guests are scheduled") {
                try server.send("GET", Self.path, headers: Self.owner).json["scheduled"] == 3
            }
            for bad in [
                #"{"days":0}"#, #"{"days":3651}"#, #"{"days":"5"}"#, #"{"since":"never"}"#, #"{"enabled":1}"#, "x",
                #"{"enabeld":true}"#,
            ] {
                #expect(try Self.change(server, bad).status == 400, "\(bad)")
            }
            for query in ["days=0", "days=x", "since=never"] {
                #expect(try server.send("GET", "\(Self.path)?\(query)", headers: Self.owner).status == 400, "\(query)")
            }
            for method in ["GET", "PATCH"] {
                #expect(try server.send(method, "\(Self.path)?key=k").code == "INSUFFICIENT_PERMISSION")
                #expect(try server.send(method, Self.path).status == 403)
            }
        }
    }

    @Test func `guests go by themselves when their time is over, and the log says who`() async throws {
        try await TestServer.run { server in
            _ = try Self.change(server, #"{"enabled":true}"#)
            let guest = try server.guest(), ann = try server.signIn("ann@example.com")
            server.clock.advance(seconds: 31 * 86_400)
            func fate(_ uid: String) throws -> JSONValue {
                try server.send("GET", "/v1/projects/demo-latchkey/users/\(uid)", headers: Self.owner).json
            }
            try server.eventually("the guest is gone") { try fate(guest.uid)["deleted"] == true }
            #expect(try server.refresh(guest.refreshToken).code == "INVALID_REFRESH_TOKEN")
            #expect(try fate(ann.uid)["email"]?.string == "ann@example.com")
            try server.eventually("the log tells") {
                server.log.contains(#""event":"user.deleted","uid":"\#(guest.uid)","is_anon":true,"outcome":"done""#)
                    && server.log.contains(#""event":"cleanup.done","removed":1"#)
            }
        }
    }

    @Test func `an operator sweeps at once, whether or not a server runs`() async throws {
        try await TestServer.run { server in
            _ = try Self.change(server, #"{"enabled":true}"#)
            let guests = try (0..<5).map { _ in try server.guest() }
            let chosen = try server.guest()
            var environment = InstanceEnvironment()
            environment.clock = { [clock = server.clock] in clock.now() + 31 * 86_400_000 }
            let desk = try Operator(file: nil, environment: server.environment, instanceEnvironment: environment)
            defer { desk.close() }
            try desk.setAdministrator(true, chosen.uid)
            #expect(try desk.cleanup().leaving.now == 5)
            let report = try Handed.wait { try await desk.sweep { _ in } }
            #expect(report.removed == 5)
            #expect(report.blocked.isEmpty)
            for guest in guests { #expect(try server.lookup(guest.idToken).code == "USER_NOT_FOUND") }
            #expect(try server.lookup(chosen.idToken).status == 200, "whom an operator chose is no guest any more")
            let off = try desk.changeCleanup(isOn: false)
            #expect(!off.enabled && off.guests == 0)
        }
    }
}

/// Waits for asynchronous work, on the test's own thread.
private enum Handed {
    static func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let done = BlockingResult<Result<Value, any Error>>()
        Task {
            do { done.give(.success(try await body())) } catch { done.give(.failure(error)) }
        }
        return try done.take().get()
    }
}
