import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Server
import Testing

@Suite("Account events of streams")
struct AccountHintTests {
    private static let admin = "an-administrators-key-of-the-tests-0123456789"

    /// A call that changes an account, the event that its streams get, and whether it needs a permanent user.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: String
        let act: @Sendable (TestServer, Tokens) throws -> Void
    }

    private static let changes = [
        Case(testDescription: "a changed name", type: "updated") { server, user in
            _ = try server.call("accounts:update", ["idToken": .string(user.idToken), "displayName": "Ann"])
        },
        Case(testDescription: "a username", type: "updated") { server, user in
            let answer = try server.send(
                "POST",
                "/v1/accounts:setUsername",
                headers: ["Authorization: Bearer \(user.idToken)", "Content-Type: application/json"],
                body: Array(#"{"username":"ann"}"#.utf8)
            )
            #expect(answer.status == 200, "\(answer.text)")
        },
        Case(testDescription: "claims", type: "updated") { server, user in
            let answer = try server.call(
                "accounts:update",
                ["localId": .string(user.uid), "customAttributes": #"{"role":"x"}"#],
                headers: ["Authorization: Bearer owner"]
            )
            #expect(answer.status == 200, "\(answer.text)")
        },
        Case(testDescription: "a verified address", type: "updated") { server, user in
            let known = try server.messages().count
            let asked = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "idToken": .string(user.idToken)]
            )
            #expect(asked.status == 200, "\(asked.text)")
            let code = try server.message(after: known).oobCode
            #expect(try server.call("accounts:update", ["oobCode": .string(code)]).status == 200)
        },
        Case(testDescription: "signing out elsewhere", type: "sessionEnded") { server, user in
            let other = try server.signIn("ann@example.com")
            #expect(other.uid == user.uid)
            _ = try server.call("accounts:signOut", ["refreshToken": .string(other.refreshToken)])
        },
        Case(testDescription: "ending another session", type: "sessionEnded") { server, user in
            _ = try server.signIn("ann@example.com")
            let list = try server.send("GET", "/v1/sessions", headers: ["Authorization: Bearer \(user.idToken)"])
            let other = list.json["sessions"]?.array?.first { $0["current"]?.bool != true }
            let id = try #require(other?["id"]?.string, "\(list.text)")
            let ended = try server.send(
                "DELETE",
                "/v1/sessions/\(id)",
                headers: ["Authorization: Bearer \(user.idToken)"]
            )
            #expect(ended.status == 204, "\(ended.text)")
        },
        Case(testDescription: "a merge", type: "merged") { server, user in
            let guest = try server.guest()
            let merged = try server.call(
                "accounts:merge",
                ["idToken": .string(user.idToken), "anonymousIdToken": .string(guest.idToken)]
            )
            #expect(merged.status == 200, "\(merged.text)")
        },
    ]

    @Test(arguments: changes)
    func `a change of the account reaches its streams at once, without an id`(_ example: Case) async throws {
        try await TestServer.run(pace: .every(.seconds(600))) { server in
            let user = try server.signIn("ann@example.com")
            let stream = try EventStream(server, user.idToken)
            let filtered = try EventStream(server, user.idToken, query: "?collection=notes")
            for stream in [stream, filtered] { try stream.ready() }
            try example.act(server, user)
            for stream in [stream, filtered] {
                let event = try #require(try stream.next())
                #expect(event.name == "account" && event["type"] == example.type, "\(event)")
                #expect(event.id == nil)
                #expect(stream.isSilent(for: 0.2))
            }
            // The stream continues from its own number.
            try server.set("notes/a", user.idToken)
            for stream in [stream, filtered] {
                #expect(try stream.change().id == 1)
                #expect(stream.isSilent(for: 0.1), "no hint comes twice")
            }
        }
    }

    @Test func `another user's streams hear nothing`() async throws {
        try await TestServer.run { server in
            let stranger = try EventStream(server, server.guest().idToken)
            try stranger.ready()
            let user = try server.guest()
            _ = try server.call("accounts:update", ["idToken": .string(user.idToken), "displayName": "Ann"])
            #expect(stranger.isSilent(for: 0.5))
        }
    }

    /// The round is what finds the end here, so that the hint needs no notification either.
    @Test(arguments: [false, true])
    func `a stream that linking ends says so before its end`(elsewhere: Bool) async throws {
        try await TestServer.run(pace: .every(.milliseconds(200))) { server in
            let guest = try server.guest()
            let stream = try EventStream(server, guest.idToken)
            try stream.ready()
            if elsewhere {
                try server.elsewhere { store in
                    try store.database.writeNow { try $0.endSessions(of: guest.uid, except: nil, reason: .linked) }
                }
            } else {
                let asked = try server.askForLink("ann@example.com", idToken: guest.idToken)
                #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
            }
            let hint = try #require(try stream.next())
            #expect(hint.name == "account" && hint["type"] == "linked" && hint.id == nil, "\(hint)")
            let end = try #require(try stream.next())
            #expect(end.name == "end" && end["reason"] == "session.ended", "\(end)")
            #expect(try stream.next() == nil)
        }
    }

    @Test func `a stream whose own session ended gets its end, and no hint`() async throws {
        try await TestServer.run(pace: .every(.seconds(600))) { server in
            let user = try server.signIn("ann@example.com")
            let stream = try EventStream(server, user.idToken)
            try stream.ready()
            _ = try server.call("accounts:signOut", ["refreshToken": .string(user.refreshToken)])
            let end = try #require(try stream.next())
            #expect(end.name == "end" && end["reason"] == "user.signed-out", "\(end)")
        }
    }

    @Test func `a client that does not read gets each kind of hint once, however many there were`() async throws {
        try await TestServer.run(pace: .every(.seconds(600))) { server in
            let user = try server.signIn("ann@example.com")
            let stream = try EventStream(server, user.idToken, receiveBuffer: 4096)
            try stream.ready()
            // More than the buffers of the server and of both systems hold.
            let large: JSONValue = ["text": .string(String(repeating: "x", count: 60_000))]
            for number in 0..<150 { try server.set("notes/d\(number)", user.idToken, large) }
            for number in 0..<50 {
                _ = try server.call(
                    "accounts:update",
                    ["idToken": .string(user.idToken), "displayName": .string("Ann \(number)")]
                )
            }
            var hints = 0
            // The first hint has to arrive, and another one would arrive right after it.
            while let event = try? stream.next(within: hints == 0 ? EventStream.patience : 3) {
                if event.name == "account" { hints += 1 }
            }
            // The change that was being sent when the buffer filled up may have been followed by one hint.
            #expect((1...2).contains(hints), "\(hints)")
        }
    }

    @Test func `hints cost no statement while nothing happens, and one read of the user when something does`()
        async throws
    {
        try await TestServer.run(pace: .every(.seconds(600)), adjust: { $0.mailPoll = .seconds(600) }) { server in
            let user = try server.signIn("ann@example.com")
            let stream = try EventStream(server, user.idToken)
            try stream.ready()
            func reads() -> Int {
                server.statements.all.filter { $0.contains("FROM sessions s LEFT JOIN users") }.count
            }
            // What the sign-in and the stream's start cause may take a moment.
            var isQuiet = false
            for _ in 0..<5 where !isQuiet {
                server.statements.clear()
                usleep(1_500_000)
                isQuiet = reads() == 0
            }
            #expect(isQuiet)
            _ = try server.call("accounts:update", ["idToken": .string(user.idToken), "displayName": "Ann"])
            #expect(try stream.next()?.name == "account")
            #expect((1...2).contains(reads()))
        }
    }

    @Test(.enabled(if: TestDatabase.isEnginesTurn))
    func `streams of other nodes get the same hints`() async throws {
        try await TestServer.runNodes(2, pace: .every(.seconds(600))) { nodes in
            try ListenNodesTests.untilHeard(nodes)
            let guest = try nodes[0].guest()
            let stream = try EventStream(nodes[1], guest.idToken)
            try stream.ready()
            _ = try nodes[0].call("accounts:update", ["idToken": .string(guest.idToken), "displayName": "Ann"])
            let event = try #require(try stream.next())
            #expect(event.name == "account" && event["type"] == "updated", "\(event)")
        }
    }
}
