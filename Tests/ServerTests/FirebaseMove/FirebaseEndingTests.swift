import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Testing

@testable import Server

@Suite("Move from Firebase: endings")
struct FirebaseEndingTests {
    /// What may end a session at Firebase before it moves, with the code that its tokens get afterwards.
    struct Ending: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let happen: @Sendable (FirebaseWorld, FirebaseWorld.Stored) throws -> Void
    }

    private static func changed(_ world: FirebaseWorld, _ uid: String, _ members: JSONValue) throws {
        let answer = try world.new.change(uid, members)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private static let endings: [Ending] = [
        Ending(testDescription: "a revocation here", code: "TOKEN_EXPIRED") { world, stored in
            let now = world.new.clock.now() / 1000
            try changed(world, stored.uid, ["validSince": .string("\(now)")])
        },
        Ending(testDescription: "another address here", code: "TOKEN_EXPIRED") { world, stored in
            try changed(world, stored.uid, ["email": "other@example.com"])
        },
        Ending(testDescription: "another address by the user's own link", code: "TOKEN_EXPIRED") { world, stored in
            let here = try world.new.signIn("ann@example.com")
            try #require(here.uid == stored.uid)
            let known = try world.new.messages().count
            let asked = try world.new.call(
                "accounts:sendOobCode",
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(here.idToken),
                    "newEmail": "other@example.com",
                ]
            )
            #expect(asked.status == 200, "\(asked.text)")
            let code = try world.new.message(after: known).oobCode
            #expect(try world.new.call("accounts:update", ["oobCode": .string(code)]).status == 200)
        },
        Ending(testDescription: "a disabling that has ended", code: "TOKEN_EXPIRED") { world, stored in
            try changed(world, stored.uid, ["disableUser": true])
            try changed(world, stored.uid, ["disableUser": false])
        },
        Ending(testDescription: "a disabling here", code: "USER_DISABLED") { world, stored in
            try changed(world, stored.uid, ["disableUser": true])
        },
        Ending(testDescription: "a deletion here", code: "USER_NOT_FOUND") { world, stored in
            let deleted = try world.new.admin("accounts:delete", ["localId": .string(stored.uid)])
            #expect(deleted.status == 200)
        },
        Ending(testDescription: "a disabling at Firebase", code: "USER_DISABLED") { world, stored in
            let disabled = try world.old.change(stored.uid, ["disableUser": true])
            #expect(disabled.status == 200)
        },
        Ending(testDescription: "a takeover by the owner of the address", code: "TOKEN_EXPIRED") { world, stored in
            try world.new.withDatabase { transaction in
                var user = try #require(try transaction.user(stored.uid))
                user.emailVerifiedAt = nil
                try transaction.update(user)
            }
            #expect(try world.new.signIn("ann@example.com").uid == stored.uid)
        },
    ]

    @Test(arguments: endings)
    func `what ends all sessions of an imported user ends the one at Firebase`(_ ending: Ending) async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com")
            world.new.clock.advance(seconds: 5)
            try world.importUser(stored.uid)
            world.new.clock.advance(seconds: 5)
            try ending.happen(world, stored)
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == ending.code)
            #expect(FirebaseWorld.code(try world.lookup(stored.idToken)) == ending.code)
            #expect(try world.count("adopted_sessions") == 0)
        }
    }

    @Test func `the time that an import sets is no revocation`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com")
            world.new.clock.advance(seconds: 60)
            try world.importUser(stored.uid)
            #expect(try world.new.withDatabase { try $0.user(stored.uid)?.validSince ?? 0 } > 0)
            try world.move(stored)
        }
    }

    @Test func `linking a guest here ends the guest's other sessions at Firebase`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            let token = try world.move(stored)
            let idToken = try world.refresh(token)["id_token"]
            let link = try world.new.askForLink("ann@example.com", idToken: idToken)
            let linked = try world.new.redeem(link.oobCode, "ann@example.com", idToken: idToken)
            #expect(linked["localId"] == stored.uid, "\(linked.text)")
            // For a minute another tab may have the new session already.
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == "undecided")
            #expect(FirebaseWorld.code(try world.lookup(stored.idToken)) == "undecided")
            world.new.clock.advance(seconds: 61)
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == "TOKEN_EXPIRED")
            // Nor does another session of the old guest get into the account.
            #expect(try world.new.withDatabase { try $0.user(stored.uid)?.importedAt } == nil)
        }
    }

    @Test func `an anonymous token does not open an account that is no guest any more`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            try world.importUser(stored.uid)
            // Linked at Firebase since, while the old tokens still say anonymous.
            let user = #"{"users":[{"localId":"\#(stored.uid)","email":"ann@example.com","emailVerified":true}]}"#
            world.firebase.behave(.say(status: 200, user), to: "accounts:lookup")
            #expect(FirebaseWorld.code(try world.lookup(stored.idToken)) == "TOKEN_EXPIRED")
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == "TOKEN_EXPIRED")
            #expect(try world.new.withDatabase { try $0.user(stored.uid)?.isAnonymous } == true)
            #expect(try world.count("sessions") == 0)
        }
    }

    @Test func `a guest who was merged here is not found, after a minute for other tabs`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            try world.moveAndMerge(stored)
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == "undecided")
            world.new.clock.advance(seconds: 61)
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == "USER_NOT_FOUND")
        }
    }

    @Test func `a session that has ended here for any reason stays ended, and Firebase has no say any more`()
        async throws
    {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com"), other = try world.guest()
            let token = try world.move(stored)
            try world.move(other)
            #expect(try world.old.change(other.uid, ["disableUser": true]).status == 200)
            try world.move(other)
            let out = try world.new.call("accounts:signOut", ["refreshToken": .string(token)])
            #expect(out.status == 200, "\(out.text)")
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == "TOKEN_EXPIRED")
            #expect(FirebaseWorld.code(try world.lookup(stored.idToken)) == "TOKEN_EXPIRED")
        }
    }

    // MARK: The old project is no back door

    @Test func `a session that began at Firebase too long after the switch is refused, by the exchange too`()
        async throws
    {
        try await FirebaseWorld.run(more: "lateSignIns: '1h'") { world in
            world.new.clock.advance(seconds: 3500)
            let early = try world.guest()
            world.new.clock.advance(seconds: 200)
            let late = try world.linked("ann@example.com")
            try world.importUser(late.uid)
            try world.move(early)
            #expect(FirebaseWorld.code(try world.refresh(late.refreshToken)) == "TOKEN_EXPIRED")
            #expect(FirebaseWorld.code(try world.lookup(late.idToken)) == "TOKEN_EXPIRED")
            let exchanged = try world.new.call(
                "accounts:exchangeFirebaseToken",
                ["firebaseToken": .string(late.idToken)]
            )
            #expect(exchanged.code == "TOKEN_EXPIRED")
            try world.new.eventually("the count") {
                var count: Int64?
                try world.new.withOperator { count = try $0.firebaseStatus(limit: 0).refused["TOKEN_EXPIRED"] }
                return count == 2
            }
            // Going back and forth admits no later session.
            try world.change(to: .pass)
            try world.change(to: .adopt)
            #expect(FirebaseWorld.code(try world.refresh(late.refreshToken)) == "TOKEN_EXPIRED")
        }
    }

    @Test func `the exchange is no way around an ending`() async throws {
        try await FirebaseWorld.run { world in
            let administrator = try world.linked("boss@example.com")
            let out = try world.linked("ann@example.com")
            let enabled = try world.linked("bob@example.com")
            let alive = try world.linked("carol@example.com")
            world.new.clock.advance(seconds: 5)
            for stored in [administrator, out, enabled, alive] { try world.importUser(stored.uid) }
            try world.new.withDatabase { try $0.set("administrators", to: administrator.uid) }
            let token = try world.move(out)
            try world.move(alive)
            #expect(try world.new.call("accounts:signOut", ["refreshToken": .string(token)]).status == 200)
            world.new.clock.advance(seconds: 5)
            try Self.changed(world, enabled.uid, ["disableUser": true])
            try Self.changed(world, enabled.uid, ["disableUser": false])
            for (stored, code) in [
                (administrator, "TOKEN_EXPIRED"), (out, "TOKEN_EXPIRED"), (enabled, "TOKEN_EXPIRED"), (alive, "ok"),
            ] {
                let answer = try world.new.call(
                    "accounts:exchangeFirebaseToken",
                    ["firebaseToken": .string(stored.idToken)]
                )
                #expect(answer.code == code, "\(answer.text)")
            }
        }
    }

    @Test func `the sign-in at Firebase never counts as recent`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.linked("ann@example.com")
            let idToken = try world.refresh(world.move(stored))["id_token"]
            let deleted = try world.call("accounts:delete", ["idToken": .string(idToken)])
            #expect(deleted.code == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            // Nor does a session that the user's own call puts in its place.
            let renewed = try world.call("accounts:update", ["idToken": .string(idToken), "validSince": "1"])
            #expect(renewed.status == 200, "\(renewed.text)")
            let again = try world.call("accounts:delete", ["idToken": .string(renewed["idToken"])])
            #expect(again.code == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
    }

    @Test func `an issuer of our own that equals the old one stops the start`() throws {
        try TestServer.inFolder { folder in
            let file = folder.appendingPathComponent("latchkey.json5").path
            let text = """
                { projectID: 'old', firebase: { project: 'old', exchangeUntil: '\(ExchangeTests.day(in: 9))', apiKeys: ['k'] } }
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: file, environment: [:])
            }
            #expect(error?.problems.contains { $0.description.contains("own issuer") } == true)
        }
    }

    @Test func `an upstream is for development only`() throws {
        try TestServer.inFolder { folder in
            let file = folder.appendingPathComponent("latchkey.json5").path
            let text = """
                { mode: 'production', firebase: { project: 'old', exchangeUntil: '\(ExchangeTests.day(in: 9))',
                  apiKeys: ['k'], upstream: 'https://firebase.example.com' } }
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.load(file: file, environment: [:])
            }
            #expect(error?.problems.contains { $0.description.contains("development only") } == true)
        }
    }
}
