import Database
import JSON
import Server
import Testing

/// An attacker makes an account with another person's address and waits.
///
/// When the owner arrives, nothing of the attacker's remains.
@Suite("Accounts planted before their owner's first sign-in")
struct PreHijackTests {
    /// The ways in which the owner of the address arrives.
    enum Way: String, CaseIterable, Sendable {
        case provider, mailedLink, mergedLink, mergedProvider

        /// Signs in, and merges a guest in some cases.
        func enter(_ server: TestServer) throws -> Tokens {
            let person = ProviderPerson(subject: "victim", email: "victim@example.com")
            switch self {
            case .provider: return try Tokens(server.signIn(person))
            case .mailedLink: return try server.signIn("victim@example.com")
            case .mergedProvider:
                let guest = try server.guest()
                return try Tokens(server.signIn(person, idToken: guest.idToken, onConflict: "merge"))
            case .mergedLink:
                let guest = try server.guest()
                let asked = try server.askForLink("victim@example.com")
                return try Tokens(
                    server.call(
                        "accounts:signInWithEmailLink",
                        [
                            "email": "victim@example.com", "oobCode": .string(asked.oobCode),
                            "idToken": .string(guest.idToken), "onConflict": "merge",
                        ]
                    )
                )
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `proving an account's unproven address ends all earlier sessions of the account`(way: Way) async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            // The attacker has a provider, an identity at the same provider that the owner will use, two sessions, and
            // an e-mail with a recovery link.
            let attacker = try server.signIn("attacker@example.com")
            let identities = [
                ProviderPerson(provider: "oidc.example", subject: "attacker"),
                ProviderPerson(subject: "attacker"),
            ]
            for person in identities { _ = try Tokens(server.signIn(person, idToken: attacker.idToken)) }
            let known = try server.messages().count
            let planted = try server.call(
                "accounts:update",
                ["idToken": .string(attacker.idToken), "email": "victim@example.com"]
            )
            #expect(planted.status == 200)
            let wayBack = try server.message(after: known)
            let other = try Tokens(server.signIn(identities[0]))
            #expect(other.uid == attacker.uid)

            // So that earlier tokens are older by whole seconds, the resolution of their times.
            server.clock.advance(seconds: 5)

            let victim = try way.enter(server)
            #expect(victim.uid == attacker.uid, "the account carried the address already")
            let user = try server.user(victim.idToken)
            #expect(user["emailVerified"] == true)
            #expect(user["initialEmail"] == nil)
            #expect(
                user.providerIDs.filter { $0 != "password" } == (way.rawValue.contains("rovider") ? ["google.com"] : [])
            )
            #expect(!String(decoding: user.serialized(), as: UTF8.self).contains("attacker"))
            for token in [planted["idToken"], other.idToken] {
                #expect(try server.lookup(token).code == "TOKEN_EXPIRED")
            }
            for token in [planted["refreshToken"], other.refreshToken] {
                #expect(try server.refresh(token).code == "TOKEN_EXPIRED")
            }
            let issuedAt = try #require(try Claims(victim.idToken)["iat"]?.int64)
            #expect(user["validSince"]?.string.flatMap { Int64($0) } == issuedAt, "older tokens are dead elsewhere too")
            let contest = try server.call("accounts:update", ["oobCode": .string(wayBack.oobCode)])
            #expect(contest.json["contested"] == true, "the recovery link hands the account over no more")
            for person in identities {
                let back = try Tokens(server.signIn(person))
                #expect(back.uid != victim.uid, "\(person.provider) is no sign-in method any more")
            }
        }
    }

    @Test func `an account whose address was proven keeps what it has when its owner comes by another way`()
        async throws
    {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let foo = ProviderPerson(provider: "foo.com", subject: "f")
            let linked = try Tokens(server.signIn(foo, idToken: ann.idToken))
            let google = try Tokens(server.signIn(ProviderPerson(email: "ann@example.com")))
            let mailed = try server.signIn("ann@example.com")
            #expect([google.uid, mailed.uid] == [ann.uid, ann.uid])
            #expect(try server.user(mailed.idToken).providerIDs == ["password", "foo.com", "google.com"])
            for token in [ann, linked, google, mailed] { #expect(try server.lookup(token.idToken).status == 200) }
        }
    }

    @Test(arguments: [false, true])
    func `who links the address of the account they are in keeps its providers, and a mail of before contests`(
        byProvider: Bool
    ) async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let planter = try server.signIn("planter@example.com")
            let foo = ProviderPerson(provider: "foo.com", subject: "f")
            let linked = try Tokens(server.signIn(foo, idToken: planter.idToken))
            let known = try server.messages().count
            let set = try server.call(
                "accounts:update",
                ["idToken": .string(linked.idToken), "email": "victim@example.com"]
            )
            #expect(set.status == 200)
            let wayBack = try server.message(after: known)

            let link: Tokens
            if byProvider {
                link = try Tokens(server.signIn(ProviderPerson(email: "victim@example.com"), idToken: set["idToken"]))
            } else {
                let asked = try server.askForLink("victim@example.com")
                link = try Tokens(server.redeem(asked.oobCode, "victim@example.com", idToken: set["idToken"]))
            }
            #expect(link.uid == planter.uid)
            let user = try server.user(link.idToken)
            #expect(user["emailVerified"] == true)
            #expect(user["initialEmail"] == nil)
            #expect(user.providerIDs.contains("foo.com"))
            #expect(try server.lookup(set["idToken"]).code == "TOKEN_EXPIRED")
            let contest = try server.call("accounts:update", ["oobCode": .string(wayBack.oobCode)])
            #expect(contest.json["contested"] == true, "the recovery link hands the account over no more")
        }
    }

    /// Credentials that make a guest's account permanent.
    enum Credential: String, CaseIterable, Sendable {
        case provider, customToken, administratorsProvider, administratorsAddress, mailedAddress

        /// Adds the credential to a guest whose session is given.
        func give(_ server: TestServer, uid: String, idToken: String) throws -> Answer {
            switch self {
            case .provider:
                return try server.signIn(
                    ProviderPerson(subject: "victim", email: "victim@example.com"),
                    idToken: idToken
                )
            case .customToken:
                return try server.call("accounts:signInWithCustomToken", ["token": .string(#"{"uid":"\#(uid)"}"#)])
            case .administratorsProvider:
                return try server.change(
                    uid,
                    ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "victim"]]
                )
            case .administratorsAddress: return try server.change(uid, ["email": "victim@example.com"])
            case .mailedAddress:
                let known = try server.messages().count
                let asked = try server.call(
                    "accounts:sendOobCode",
                    [
                        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(idToken),
                        "newEmail": "victim@example.com",
                    ]
                )
                try #require(asked.status == 200)
                let mail = try server.message(after: known)
                return try server.call("accounts:update", ["oobCode": .string(mail.oobCode)])
            }
        }
    }

    @Test(arguments: Credential.allCases)
    func `the address of a planted guest does not open the account that its user makes of it`(
        credential: Credential
    ) async throws {
        try await TestServer.run(["EMAIL_PRIVACY": "off"]) { server in
            let guest = try server.guest()
            let planted = try server.call(
                "accounts:update",
                ["idToken": .string(guest.idToken), "email": "attacker@example.com"]
            )
            try #require(planted.status == 200)
            #expect(try server.isGuest(guest.uid), "an address that nobody proved is no credential")

            let given = try credential.give(server, uid: guest.uid, idToken: planted["idToken"])
            #expect(given.status == 200, "\(given.text)")
            #expect(try !server.isGuest(guest.uid))

            let attacker = try server.signIn("attacker@example.com")
            #expect(attacker.uid != guest.uid, "whoever opens the planted address's mailbox is somebody else")
            let user = try server.find(uid: guest.uid)
            #expect(!String(decoding: user.serialized(), as: UTF8.self).contains("attacker"))
            let toAttacker = try server.messages().filter { $0.to == "attacker@example.com" }
            #expect(toAttacker.allSatisfy { $0.parameter("mode") == "signIn" }, "no recovery link is sent there")
        }
    }
}
