import Foundation
import JSON
import PostgreSQLHarness
import Testing

@Suite("What requests cost on PostgreSQL", .enabled(if: TestDatabase.isEnginesTurn))
struct RequestCostTests {
    /// The round trips that one run of a kind of transaction took on average, as the server logs them when it stops: a mail
    /// that is being sent may get in the way of one, which then runs again.
    private func cost(_ kind: String, in log: Lines) throws -> Double {
        let line = try #require(log.all.first { $0.contains("in all: ") })
        let entry = try #require(line.firstRange(of: "\(kind) ").map { line[$0.upperBound...] }, "\(kind) in \(line)")
        let words = entry.split { " (,)".contains($0) }.prefix(7)
        // "2 (3.0 round trips, 9.5 statements, 0 repeats)"
        let numbers = [words.first, words.dropFirst().first, words.dropFirst(6).first].compactMap {
            $0.flatMap { Double($0) }
        }
        try #require(numbers.count == 3)
        return numbers[1] * numbers[0] / (numbers[0] + numbers[2])
    }

    @Test func `a look-up takes one round trip, a redemption three`() async throws {
        let database = try PostgreSQLServer.shared.get().makeDatabase()
        try await TestServer.run(["DATABASE": database, "SECRET": TestServer.secret]) { server in
            let guest = try server.guest()
            let new = try server.signIn("new@example.com")
            _ = try server.signIn("new@example.com")
            #expect(
                try server.redeem(
                    server.askForLink("link@example.com").oobCode,
                    "link@example.com",
                    idToken: guest.idToken
                ).status == 200
            )
            let asked = try server.askForLink("code@example.com", idToken: server.guest().idToken)
            try server.settleMails()
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
            for token in [guest.idToken, new.idToken] {
                _ = try server.lookup(token)
                let headers = ["Authorization: Bearer \(new.idToken)", "Content-Type: application/json"]
                for method in ["PUT", "PATCH", "GET"] {
                    let answer = try server.send(
                        method,
                        "/v1/documents/notes/a",
                        headers: headers,
                        body: method == "GET" ? [] : Array(#"{"a":1}"#.utf8)
                    )
                    #expect(answer.status < 300, "\(answer.text)")
                }
                #expect(try server.send("GET", "/v1/documents", headers: headers).status == 200)
                #expect(try server.send("GET", "/v1/sessions", headers: headers).status == 200)
            }
            #expect(try server.refresh(new.refreshToken).status == 200)
            _ = try server.askForLink("ann@example.com", idToken: new.idToken)
            server.stop()
            #expect(try cost("SendOobCode", in: server.log) == 2)
            #expect(try cost("Lookup", in: server.log) == 1)
            #expect(try cost("SignUp", in: server.log) == 1)
            #expect(try cost("SignInWithEmailLink", in: server.log) <= 3)
            // One more than by link: the ticket has to be read before its address and its session are known.
            #expect(try cost("SignInWithTicket", in: server.log) <= 4)
            #expect(try cost("Token", in: server.log) <= 3)
            #expect(try cost("ReadDocument", in: server.log) == 1)
            #expect(try cost("ListSessions", in: server.log) == 1)
            #expect(try cost("ListDocuments", in: server.log) == 1)
            #expect(try cost("WriteDocument", in: server.log) <= 3)
        }
    }

    @Test func `a sign-up with an Idempotency-Key takes one round trip more`() async throws {
        let database = try PostgreSQLServer.shared.get().makeDatabase()
        try await TestServer.run(["DATABASE": database, "SECRET": TestServer.secret]) { server in
            for number in 0..<20 {
                let key = String(repeating: "k", count: 40) + "\(number)"
                _ = try server.guest(headers: ["Idempotency-Key: \(key)"])
            }
            server.stop()
            #expect(try cost("SignUp", in: server.log) <= 2)
        }
    }
}
