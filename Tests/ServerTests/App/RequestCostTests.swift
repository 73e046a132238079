import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Round trips of requests on PostgreSQL", .enabled(if: TestDatabase.isEnginesTurn))
struct RequestCostTests {
    /// Returns the average round trips of one run of a kind of transaction.
    ///
    /// An e-mail that is being sent may conflict with a transaction, which then runs again.
    private func cost(_ kind: String, on server: TestServer) throws -> Double {
        let all = server.instance.transactionStatistics
        return try #require(all.first { $0.kind == kind }, "\(kind) in \(all.map(\.kind))").roundTripsPerRun
    }

    @Test func `a look-up and a refresh take one round trip, a redemption two`() async throws {
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
            try server.waitUntilMailsAreFinished()
            for _ in 0..<3 { #expect(try server.queryLink(asked.oobCode).status == 200) }
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
            #expect(try cost("SendOobCode", on: server) == 2)
            #expect(try cost("Lookup", on: server) == 1)
            #expect(try cost("QuerySignInLink", on: server) == 1)
            #expect(try cost("SignUp", on: server) == 1)
            #expect(try cost("SignInWithEmailLink", on: server) <= 2)
            // One more than by link, because the counter of wrong codes is found by the ticket's address.
            #expect(try cost("SignInWithTicket", on: server) <= 3)
            #expect(try cost("Token", on: server) == 1)
            #expect(try cost("ReadDocument", on: server) == 1)
            #expect(try cost("ListSessions", on: server) == 1)
            #expect(try cost("ListDocuments", on: server) == 1)
            #expect(try cost("WriteDocument", on: server) <= 3)
            let kinds = server.instance.transactionStatistics.map(\.kind)
            for kind in ["CheckSecret", "ReadKeys", "LookForMails", "LeaseMails", "RecordMails"] {
                #expect(kinds.contains(kind), "\(kinds)")
            }
            // Each kind has a name, which is not that of a source file.
            #expect(kinds.allSatisfy { $0 != TransactionStatistics.unnamed && $0.allSatisfy(\.isLetter) }, "\(kinds)")
        }
    }

    @Test func `a redemption by approval takes two round trips, with a session and without`() async throws {
        let database = try PostgreSQLServer.shared.get().makeDatabase()
        try await TestServer.run(["DATABASE": database, "SECRET": TestServer.secret]) { server in
            for (name, idToken) in [("new", nil), ("new", nil), ("linked", try server.guest().idToken)] {
                let asked = try server.askForLink("\(name)@example.com", idToken: idToken)
                try server.waitUntilMailsAreFinished()
                try server.psql("UPDATE tickets SET state = 'approved' WHERE state = 'open'")
                let answer = try server.redeemTicket(asked.ticket)
                #expect(answer.status == 200, "\(answer.text)")
            }
            server.stop()
            #expect(try cost("SignInWithTicket", on: server) <= 2)
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
            #expect(try cost("SignUp", on: server) <= 2)
        }
    }
}
