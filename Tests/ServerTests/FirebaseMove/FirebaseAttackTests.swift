import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Testing

@testable import Server

/// Attackers who have got into the project at Firebase, and sign its tokens.
@Suite("Move from Firebase: attacks")
struct FirebaseAttackTests {
    private static let anonymous: JSONValue = [
        "provider_id": "anonymous", "firebase": ["identities": [:], "sign_in_provider": "anonymous"],
    ]

    // MARK: Endings

    @Test func `a session that began until the second of a revocation here is over, and a later one moves`()
        async throws
    {
        try await FirebaseWorld.run(forges: true) { world in
            let stored = try world.linked("ann@example.com")
            try world.importUser(stored.uid)
            world.new.clock.advance(seconds: 10)
            let revoked = world.new.clock.now() / 1000
            #expect(try world.new.change(stored.uid, ["validSince": .string("\(revoked)")]).status == 200)
            world.new.clock.advance(seconds: 10)
            for (time, code) in [(revoked - 1, "TOKEN_EXPIRED"), (revoked, "TOKEN_EXPIRED"), (revoked + 1, "ok")] {
                #expect(FirebaseWorld.code(try world.lookup(world.forge(stored.uid, at: time))) == code, "\(time)")
            }
        }
    }

    @Test func `no other session of a guest opens the account that the guest was linked to here`() async throws {
        try await FirebaseWorld.run(forges: true) { world in
            let stored = try world.guest()
            let idToken = try world.refresh(world.move(stored))["id_token"]
            world.new.clock.advance(seconds: 5)
            let earlier = try world.forge(stored.uid, at: world.new.clock.now() / 1000 - 60, Self.anonymous)
            let link = try world.new.askForLink("ann@example.com", idToken: idToken)
            #expect(try world.new.redeem(link.oobCode, "ann@example.com", idToken: idToken)["localId"] == stored.uid)
            world.new.clock.advance(seconds: 65)
            let now = world.new.clock.now() / 1000
            for token in try [
                earlier, world.forge(stored.uid, at: now, Self.anonymous), world.forge(stored.uid, at: now),
            ] {
                #expect(FirebaseWorld.code(try world.lookup(token)) == "TOKEN_EXPIRED")
            }
            #expect(try world.count("adopted_sessions") == 1)
        }
    }

    @Test func `no session of a guest who was merged here comes back as a user`() async throws {
        try await FirebaseWorld.run(forges: true) { world in
            let stored = try world.guest()
            try world.moveAndMerge(stored)
            world.new.clock.advance(seconds: 61)
            world.describe(stored.uid)
            let now = world.new.clock.now() / 1000
            for change in [Self.anonymous, [:]] {
                let answer = try world.lookup(world.forge(stored.uid, at: now, change))
                #expect(FirebaseWorld.code(answer) == "USER_NOT_FOUND")
            }
            #expect(try world.count("users") == 1)
        }
    }

    // MARK: Who it is

    @Test func `the UID is the sub of the token, whatever else names a user`() async throws {
        try await FirebaseWorld.run(forges: true) { world in
            let bob = try world.linked("bob@example.com")
            try world.move(bob)
            let now = world.new.clock.now() / 1000
            let token = try world.forge("ann", at: now, ["user_id": .string(bob.uid), "uid": .string(bob.uid)])
            // The token service names another user than its own token.
            let said = #"{"id_token":"\#(token)","refresh_token":"AMf-x","expires_in":"3600","user_id":"\#(bob.uid)"}"#
            world.firebase.behave(.say(status: 200, said), to: "/v1/token")
            #expect(FirebaseWorld.isUndecided(try world.refresh("AMf-any")))
            // The look-up answers with another user.
            world.describe(bob.uid)
            #expect(FirebaseWorld.isUndecided(try world.lookup(token)))
            world.describe("ann")
            let user = try world.lookup(token)
            #expect(user.json["users"]?.array?.map { $0["localId"]?.string } == ["ann"], "\(user.text)")
        }
    }

    @Test func `claims of a custom token name no issuer, session or address of ours`() async throws {
        try await FirebaseWorld.run(forges: true) { world in
            let bob = try world.linked("bob@example.com")
            let session = try Claims(try world.refresh(world.move(bob))["id_token"])
            world.describe("ann")
            let token = try world.forge(
                "ann",
                at: world.new.clock.now() / 1000,
                [
                    "firebase": ["identities": [:], "sign_in_provider": "custom"], "sid": session["sid"] ?? .null,
                    "email": "boss@example.com", "email_verified": true, "provider_id": "anonymous", "room": "7",
                ]
            )
            let said = #"{"id_token":"\#(token)","refresh_token":"AMf-x","expires_in":"3600"}"#
            world.firebase.behave(.say(status: 200, said), to: "/v1/token")
            let answer = try world.refresh("AMf-any")
            let claims = try Claims(answer["id_token"])
            #expect(claims["sub"] == "ann" && claims["room"] == "7", "\(answer.text)")
            #expect(claims["iss"] == session["iss"] && claims["sid"] != session["sid"])
            #expect(claims["email"] == nil && claims["email_verified"] != true && claims["provider_id"] == nil)
        }
    }

    @Test func `an identity that another user has here stays theirs`() async throws {
        try await FirebaseWorld.run(forges: true) { world in
            let google =
                #","createdAt":"1600000000000","providerUserInfo":[{"providerId":"google.com","rawId":"17"}]"#
            let now = world.new.clock.now() / 1000
            world.describe("ann", google)
            #expect(try world.lookup(world.forge("ann", at: now)).status == 200)
            world.describe("mallory", google)
            #expect(try world.lookup(world.forge("mallory", at: now)).status == 200)
            let owners = try world.new.withDatabase { transaction in
                try ["ann", "mallory"].map { try transaction.identities(of: $0).count }
            }
            #expect(owners == [1, 0])
        }
    }

    @Test func `a look-up neither changes a user who has a session here nor proves their address`() async throws {
        try await FirebaseWorld.run(forges: true) { world in
            let now = world.new.clock.now() / 1000
            world.describe("ann", #","email":"ann@example.com","emailVerified":true"#)
            let first = try world.lookup(world.forge("ann", at: now - 9))
            world.describe("ann", #","email":"mallory@example.com","emailVerified":true"#)
            let second = try world.lookup(world.forge("ann", at: now))
            #expect(first.status == 200 && second.status == 200, "\(first.text) \(second.text)")
            #expect(try world.new.withDatabase { try $0.user("ann")?.email } == "ann@example.com")
            #expect(try world.count("adopted_sessions") == 2)
            #expect(world.firebase.count("accounts:lookup") == 1)
        }
    }

    // MARK: The old project is no back door

    @Test func `a token that is dated back opens no account that is an administrator's, not Firebase's, or ended`()
        async throws
    {
        try await FirebaseWorld.run(forges: true) { world in
            let then = world.new.clock.now() / 1000 - 86_400
            let boss = try world.linked("boss@example.com"), ann = try world.linked("ann@example.com")
            let bob = try world.linked("bob@example.com"), carol = try world.linked("carol@example.com")
            for stored in [boss, ann, bob, carol] { try world.importUser(stored.uid) }
            let own = try world.new.create(["email": "own@example.com"])
            try world.new.withDatabase { try $0.set("administrators", to: boss.uid) }
            world.new.clock.advance(seconds: 5)
            #expect(try world.new.change(ann.uid, ["disableUser": true]).status == 200)
            #expect(try world.new.change(ann.uid, ["disableUser": false]).status == 200)
            #expect(try world.new.change(bob.uid, ["email": "bob@example.org"]).status == 200)
            for uid in [boss.uid, own, ann.uid, bob.uid] {
                #expect(FirebaseWorld.code(try world.lookup(world.forge(uid, at: then))) == "TOKEN_EXPIRED", "\(uid)")
            }
            #expect(try world.count("sessions") == 0)
            // What such an attacker can do, docs/threat-model.md says.
            world.describe(carol.uid)
            #expect(try world.lookup(world.forge(carol.uid, at: then)).status == 200)
        }
    }

    @Test func `a sign-up or password at Firebase long after the switch opens nothing, and an earlier session moves`()
        async throws
    {
        try await FirebaseWorld.run(forges: true) { world in
            let switched = world.new.clock.now() / 1000
            world.new.clock.advance(seconds: 9 * 86_400)
            world.describe("ann")
            for (time, code) in [(switched + 7 * 86_400 + 2, "TOKEN_EXPIRED"), (switched + 7 * 86_400 - 2, "ok")] {
                let answer = try world.lookup(world.forge("ann", at: time))
                #expect(FirebaseWorld.code(answer) == code)
            }
            #expect(try world.count("users") == 1)
        }
    }

    @Test func `a link that Firebase e-mailed before the switch is refused, and nothing new goes to Firebase`()
        async throws
    {
        try await FirebaseWorld.run { world in
            let link = try world.old.askForLink("ann@example.com")
            for code in [link.oobCode, "Zm9vYmFyYmF6-Firebase_s-own-shape"] {
                let answer = try world.call(
                    "accounts:signInWithEmailLink",
                    ["email": "ann@example.com", "oobCode": .string(code)]
                )
                #expect(answer.code == "INVALID_OOB_CODE", "\(answer.text)")
            }
            #expect(try world.call("accounts:signUp", ["returnSecureToken": true]).status == 200)
            #expect(try world.new.signIn("ann@example.com").uid != "")
            #expect(world.firebase.questions.isEmpty)
        }
    }
}
