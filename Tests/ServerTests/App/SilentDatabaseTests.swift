import Foundation
import JSON
import PostgreSQLHarness
import Testing

@Suite("PostgreSQL servers that do not answer", .enabled(if: TestDatabase.isEnginesTurn))
struct SilentDatabaseTests {
    @Test
    func `no serving thread waits for a silent server, every call is answered, and the node recovers`()
        async throws
    {
        let postgres = try PostgreSQLServer()
        let settings = [
            "DATABASE": try postgres.makeDatabase(), "SECRET": TestServer.secret, "POSTGRESQL_CONNECTIONS": "2",
            "POSTGRESQL_CONNECT_TIMEOUT": "7s", "POSTGRESQL_STATEMENT_TIMEOUT": "13s",
        ]
        try await TestServer.run(settings) { server in
            defer { try? postgres.stop("immediate") }
            let guest = try server.guest()
            let bearer = ["Authorization: Bearer \(guest.idToken)"]
            let body = Array(#"{"idToken":"\#(guest.idToken)"}"#.utf8)
            let calls = [
                ("POST", "/v1/accounts:signUp?key=k", [], Array("{}".utf8)),
                ("POST", "/v1/accounts:lookup?key=k", [], body),
                // The token is checked before missing members are.
                ("POST", "/v1/accounts:signInWithEmailLink?key=k", [], body),
                // Whether a user is an administrator is read before the call's body.
                ("POST", "/v1/accounts:update", bearer, Array("{}".utf8)),
                ("POST", "/v1/projects/latchkey/accounts:batchCreate", bearer, Array("{}".utf8)),
                ("GET", "/v1/documents", bearer, []), ("GET", "/v1/documents:listen", bearer, []),
            ]
            #expect(try server.send("GET", "/readyz").status == 200)
            let silence = try SilentServer(postgres.folder)
            defer { silence.speakAgain() }
            let waiting = try (0..<4).flatMap { _ in calls }.map { method, target, headers, body in
                let connection = try HTTPConnection(port: server.port)
                try connection.send(TestServer.request(method, target, headers: headers, body: body))
                return (target, connection)
            }
            let began = ContinuousClock.now
            for _ in 0..<10 {
                let asked = ContinuousClock.now
                #expect(try server.send("GET", "/healthz").status == 200)
                // From memory: the node may not know yet.
                #expect([200, 503].contains(try server.send("GET", "/readyz").status))
                // A thread that waits for the server does so for the connect time-out, at least.
                #expect(ContinuousClock.now - asked < .seconds(4))
                usleep(50_000)
            }
            for (target, connection) in waiting {
                let answer = try connection.answer()
                // Checked by its head; the node knows the administrators.
                let expected = target.hasSuffix("batchCreate") ? 401 : 503
                #expect(answer.status == expected, "\(target): \(answer.text)")
                // A call with an unknown outcome is not answered with Retry-After.
                let isUnknown = answer.text.contains("TIMEOUT")
                #expect(!isUnknown || target.contains("signUp"))
                if answer.status == 503, !isUnknown {
                    #expect(answer.header("retry-after") != nil)
                }
            }
            // One after the other on two connections, the calls would take more than two minutes.
            #expect(ContinuousClock.now - began < .seconds(60))
            // The node now knows that the database is silent.
            let asked = ContinuousClock.now
            #expect(try server.call("accounts:signUp").status == 503)
            #expect(try server.send("GET", "/readyz").status == 503)
            #expect(ContinuousClock.now - asked < .seconds(4))
            silence.speakAgain()
            try server.eventually("readyz is green") { try server.send("GET", "/readyz").status == 200 }
            _ = try server.guest()
            #expect(try server.lookup(guest.idToken).status == 200)
        }
    }
}
