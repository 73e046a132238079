import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Server
import Testing

@Suite("End of listening")
struct ListenEndTests {
    /// A call that ends a stream, and the reason in the stream's end event.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        var isGuest = false
        let act: @Sendable (TestServer, Tokens) throws -> Void
    }

    private static let calls = [
        Case(testDescription: "signing out", reason: "user.signed-out") { server, user in
            _ = try server.call("accounts:signOut", ["refreshToken": .string(user.refreshToken)])
        },
        Case(testDescription: "signing out as a guest", reason: "user.deleted", isGuest: true) { server, user in
            _ = try server.call("accounts:signOut", ["refreshToken": .string(user.refreshToken)])
        },
        Case(testDescription: "deleting oneself", reason: "user.deleted") { server, user in
            _ = try server.call("accounts:delete", ["idToken": .string(user.idToken)])
        },
        Case(testDescription: "revoking", reason: "user.revoked") { server, user in
            _ = try server.call("accounts:update", ["idToken": .string(user.idToken), "validSince": "1"])
        },
        Case(testDescription: "linking", reason: "session.ended", isGuest: true) { server, user in
            let asked = try server.askForLink("b@example.com", idToken: user.idToken)
            let answer = try server.redeem(asked.oobCode, "b@example.com", idToken: user.idToken)
            #expect(answer["localId"] == user.uid)
        },
        Case(testDescription: "linking by code", reason: "session.ended", isGuest: true) { server, user in
            let asked = try server.askForLink("b@example.com", idToken: user.idToken)
            #expect(try server.redeemTicket(asked.ticket, code: asked.mail.digits).status == 200)
        },
    ]

    private static let elsewhere = [
        Case(testDescription: "disabled by an operator", reason: "user.disabled") { server, user in
            try server.withOperator { try $0.setDisabled(true, user.uid) }
        },
        Case(testDescription: "deleted by an operator", reason: "user.deleted") { server, user in
            try server.withOperator { try $0.eraseUser(user.uid) }
        },
        ended("signed out elsewhere", .signedOut, "user.signed-out"),
        ended("revoked elsewhere", .revoked, "user.revoked"),
        ended("reused elsewhere", .reused, "session.ended"),
        ended("linked elsewhere", .linked, "session.ended"),
        Case(testDescription: "tokens revoked elsewhere", reason: "user.revoked") { server, user in
            try server.elsewhere { store in
                try store.database.writeNow { transaction in
                    guard var changed = try transaction.user(user.uid) else { return }
                    changed.validSince = server.clock.now() / 1000 + 1
                    try transaction.update(changed)
                }
            }
        },
        Case(testDescription: "merged elsewhere", reason: "user.merged", isGuest: true) { server, user in
            try server.elsewhere { store in
                try store.database.writeNow { transaction in
                    try transaction.endSessions(of: user.uid, except: nil, reason: .merged)
                    try transaction.deleteUser(user.uid, mergedInto: "successor")
                }
            }
        },
    ]

    private static func ended(_ name: String, _ end: SessionEnd, _ reason: String) -> Case {
        Case(testDescription: name, reason: reason) { server, user in
            try server.elsewhere { store in
                try store.database.writeNow { try $0.endSessions(of: user.uid, except: nil, reason: end) }
            }
        }
    }

    private static func check(_ example: Case, _ server: TestServer) throws {
        let user = try example.isGuest ? server.guest() : server.signIn("a@example.com")
        let streams = try (0..<3).map { _ in try EventStream(server, user.idToken) }
        for stream in streams { try stream.ready() }
        let bystander = try EventStream(server, server.guest().idToken)
        try bystander.ready()
        try example.act(server, user)
        for stream in streams {
            let event = try stream.end()
            #expect(event["reason"] == example.reason)
            #expect(event["mergedInto"] == (example.reason == "user.merged" ? "successor" : ""))
        }
        #expect(bystander.isSilent(for: 0.1))
    }

    /// The pace never starts a round, so that only the call itself can end the stream.
    @Test(arguments: calls)
    func `a call ends the streams of its user at once, and says why`(_ example: Case) async throws {
        try await TestServer.run(pace: .every(.seconds(600))) { try Self.check(example, $0) }
    }

    @Test(arguments: elsewhere)
    func `what another process does ends the streams in the next round`(_ example: Case) async throws {
        try await TestServer.run { try Self.check(example, $0) }
    }

    @Test func `one session's end leaves the user's others alone`() async throws {
        try await TestServer.run { server in
            let one = try server.signIn("a@example.com")
            let other = try server.signIn("a@example.com")
            #expect(one.uid == other.uid)
            let streams = try [one, other].map { try EventStream(server, $0.idToken) }
            for stream in streams { try stream.ready() }
            _ = try server.call("accounts:signOut", ["refreshToken": .string(one.refreshToken)])
            #expect(try streams[0].end()["reason"] == "user.signed-out")
            #expect(try streams[1].next()?["type"] == "sessionEnded")
            try server.set("notes/a", other.idToken)
            #expect(try streams[1].change().id == 1)
        }
    }

    @Test func `a stream ends when its token does, and not before`() async throws {
        try await TestServer.run { server in
            server.clock.freeze()
            let guest = try server.guest()
            let stream = try EventStream(server, guest.idToken)
            try stream.ready()
            server.clock.advance(seconds: 3590)
            #expect(stream.isSilent(for: 1.5))
            server.clock.advance(seconds: 20)
            #expect(try stream.end()["reason"] == "token.expired")
            let fresh = try server.refresh(guest.refreshToken)["id_token"]
            try server.set("notes/a", fresh)
            #expect(try EventStream(server, fresh, after: "0").change().id == 1)
        }
    }

    @Test func `a session that ends while its stream begins gets no stream that lasts`() async throws {
        try await TestServer.run(pace: .every(.seconds(600))) { server in
            for _ in 0..<20 {
                let guest = try server.guest()
                let stream = try EventStream(server, guest.idToken)
                _ = try server.call("accounts:delete", ["idToken": .string(guest.idToken)])
                #expect(try stream.end()["reason"] == "user.deleted")
            }
        }
    }
}
