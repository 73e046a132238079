import JSON
import Server
import Testing
import Tokens

@Suite("Sign-in links")
struct SignInLinkTests {
    @Test func `a new address creates a new user`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let answer = try server.redeem(asked.oobCode, " ANN@example.com ")
            #expect(answer.status == 200)
            #expect(
                answer.keys == ["kind", "email", "localId", "isNewUser", "idToken", "refreshToken", "expiresIn"]
            )
            #expect(answer["kind"] == "identitytoolkit#EmailLinkSigninResponse")
            #expect(answer["email"] == "ann@example.com")
            #expect(answer.json["isNewUser"]?.bool == true)
            let claims = try Claims(answer["idToken"])
            #expect(claims["firebase"]?["sign_in_provider"]?.string == "password")
            #expect(claims["firebase"]?["identities"]?["email"]?.array == ["ann@example.com"])
            #expect(claims["firebase"]?["identities"]?["password"] == nil)
            #expect(claims["email_verified"]?.bool == true)
            #expect(claims["provider_id"] == nil)
        }
    }

    @Test func `a known address signs in to its user`() async throws {
        try await TestServer.run { server in
            let first = try server.signIn("ann@example.com")
            let again = try server.signIn("ann@example.com")
            #expect(again.uid == first.uid)
            #expect(again.answer.json["isNewUser"]?.bool == false)
            #expect(try server.lookup(first.idToken).status == 200, "the other device stays signed in")
        }
    }

    @Test func `linking keeps the UID, ends being anonymous, and ends every session the guest had`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let second = try server.refresh(guest.refreshToken)
            let asked = try server.askForLink("ann@example.com")
            let linked = try Tokens(server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken))
            #expect(linked.uid == guest.uid)
            #expect(linked.answer.json["isNewUser"]?.bool == false)
            let user = try server.user(linked.idToken)
            #expect(user["providerUserInfo"]?.array?.map { $0["providerId"] } == ["password"])
            #expect(user["email"]?.string == "ann@example.com")
            #expect(try Claims(linked.idToken)["provider_id"] == nil)
            for token in [guest.idToken, second["id_token"]] {
                #expect(try server.lookup(token).code == "TOKEN_EXPIRED")
            }
            for token in [guest.refreshToken, second["refresh_token"]] {
                #expect(try server.refresh(token).code == "TOKEN_EXPIRED")
            }
            #expect(try server.refresh(linked.refreshToken).status == 200)
        }
    }

    @Test func `a planted anonymous session ends once its user has linked`() async throws {
        try await TestServer.run { server in
            let planted = try server.guest()
            let victim = try server.redeem(
                try server.askForLink("victim@example.com").oobCode,
                "victim@example.com",
                idToken: planted.idToken
            )
            #expect(victim.status == 200)
            let token = JSONValue.string(planted.idToken)
            #expect(try server.refresh(planted.refreshToken).code == "TOKEN_EXPIRED")
            #expect(try server.lookup(planted.idToken).code == "TOKEN_EXPIRED")
            #expect(try server.call("accounts:update", ["idToken": token, "displayName": "x"]).code == "TOKEN_EXPIRED")
            #expect(try server.call("accounts:delete", ["idToken": token]).code == "TOKEN_EXPIRED")
            let request = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "x@example.com"]
            )
            #expect(request.code == "TOKEN_EXPIRED")
        }
    }

    @Test func `a registered address keeps code and guest, and the same code then signs in`() async throws {
        try await TestServer.run { server in
            let owner = try server.signIn("ann@example.com")
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com")
            for _ in 0..<2 {
                let conflict = try server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken)
                #expect(conflict.status == 400)
                #expect(conflict.code == "EMAIL_EXISTS")
                #expect(conflict.keys == ["error"])
            }
            #expect(try server.user(guest.idToken)["email"] == nil)
            let signedIn = try Tokens(server.redeem(asked.oobCode, "ann@example.com"))
            #expect(signedIn.uid == owner.uid)
            #expect(try server.lookup(guest.idToken).status == 200, "the guest is as before")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
        }
    }

    @Test func `a wrong address keeps code and ticket`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let wrong = try server.redeem(asked.oobCode, "bob@example.com")
            #expect(
                wrong.message == "INVALID_EMAIL : The email provided does not match the sign-in email address."
            )
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a forged code is invalid, whatever was changed in it, and the true one stays good`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            for forged in Forgery.all(of: asked.oobCode) {
                let answer = try server.redeem(forged.text, "ann@example.com")
                #expect(answer.status == 400, "\(forged.what)")
                #expect(answer.code == "INVALID_OOB_CODE", "\(forged.what)")
            }
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a code of another server is invalid`() async throws {
        try await TestServer.run { server in
            let secrets = try ServerSecrets(text: TestServer.secret)
            let foreign = try ActionCode.make(
                id: .random(),
                purpose: .emailSignIn,
                expiry: server.clock.now() / 1000 + 600,
                secrets: secrets
            )
            #expect(try server.redeem(foreign, "ann@example.com").code == "INVALID_OOB_CODE")
        }
        try await TestServer.runInProduction { server in
            let secrets = try ServerSecrets(text: TestServer.secret)
            let unknown = try ActionCode.make(
                id: .random(),
                purpose: .emailSignIn,
                expiry: server.clock.now() / 1000 + 600,
                secrets: secrets
            )
            #expect(try server.redeem(unknown, "ann@example.com").code == "INVALID_OOB_CODE", "ours, but unknown")
        }
    }

    @Test func `a code for one purpose is refused for another`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            _ = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "idToken": .string(ann.idToken)]
            )
            let verify = try server.message(after: 1).oobCode
            #expect(try server.redeem(verify, "ann@example.com").code == "INVALID_OOB_CODE")
            let signIn = try server.askForLink("ann@example.com").oobCode
            let update = try server.call("accounts:update", ["oobCode": .string(signIn)])
            #expect(update.status == 501)
            #expect(try server.redeem(signIn, "ann@example.com").status == 200)
            let applied = try server.call("accounts:update", ["oobCode": .string(verify)])
            #expect(applied.status == 200)
        }
    }

    @Test func `an expired code says so, and a used one is invalid even then`() async throws {
        try await TestServer.run { server in
            let used = try server.askForLink("ann@example.com")
            #expect(try server.redeem(used.oobCode, "ann@example.com").status == 200)
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 9 * 60)
            let guest = try server.guest()
            #expect(try server.redeem(used.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
            server.clock.advance(seconds: 61)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "EXPIRED_OOB_CODE")
            #expect(
                try server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken).code == "EXPIRED_OOB_CODE"
            )
            #expect(try server.redeem(used.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
        }
    }

    @Test func `the operator sets the life of a link`() async throws {
        try await TestServer.run(["LIFE_SIGN_IN_LINK": "60s"]) { server in
            let asked = try server.askForLink("ann@example.com")
            try server.waitUntilMailsAreFinished()
            server.clock.advance(seconds: 61)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "EXPIRED_OOB_CODE")
        }
    }

    static let missing = [
        Scenario(
            name: "nothing",
            call: "accounts:signInWithEmailLink",
            status: 400,
            code: "MISSING_EMAIL"
        ),
        Scenario(
            name: "a strange token comes first",
            call: "accounts:signInWithEmailLink",
            body: #"{"idToken":"x"}"#,
            status: 400,
            code: "INVALID_ID_TOKEN"
        ),
        Scenario(
            name: "no code",
            call: "accounts:signInWithEmailLink",
            body: #"{"email":"a@b.co"}"#,
            status: 400,
            code: "MISSING_OOB_CODE"
        ),
        Scenario(
            name: "a code that is none",
            call: "accounts:signInWithEmailLink",
            body: #"{"email":"a@b.co","oobCode":"x"}"#,
            status: 400,
            code: "INVALID_OOB_CODE"
        ),
        Scenario(
            name: "an unknown choice",
            call: "accounts:signInWithEmailLink",
            body: #"{"email":"a@b.co","oob_code":"x","onConflict":"burn"}"#,
            status: 400
        ),
    ]

    @Test func `what is missing is told in the order that clients know`() async throws {
        try await TestServer.run { server in
            for scenario in Self.missing { try scenario.check(server) }
        }
    }

    @Test func `a hundred redemptions at once make one session`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            let body: JSONValue = ["email": "ann@example.com", "oobCode": .string(asked.oobCode)]
            let answers = try server.callAtOnce(Array(repeating: ("accounts:signInWithEmailLink", body), count: 100))
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0.code == "INVALID_OOB_CODE" } == 99)
        }
    }

    @Test func `a hundred linkings at once with one guest make one session, repeated to all`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let asked = try server.askForLink("ann@example.com")
            let body: JSONValue = [
                "email": "ann@example.com", "oobCode": .string(asked.oobCode), "idToken": .string(guest.idToken),
            ]
            let answers = try server.callAtOnce(Array(repeating: ("accounts:signInWithEmailLink", body), count: 100))
            #expect(answers.allSatisfy { $0.status == 200 && $0["localId"] == guest.uid })
            let sessions = try Set(answers.map { try Claims($0["idToken"])["sid"]?.string })
            #expect(sessions.count == 1)
        }
    }

    @Test func `a lost reply is repeated with the same session, for ten minutes and to no other caller`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let other = try server.guest()
            let asked = try server.askForLink("ann@example.com")
            let first = try server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken)
            server.clock.advance(seconds: 500)
            let again = try server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken)
            #expect(again.status == 200)
            #expect(again["localId"] == guest.uid)
            #expect(again["refreshToken"] == first["refreshToken"])
            #expect(try Claims(again["idToken"])["sid"]?.string == (try Claims(first["idToken"]))["sid"]?.string)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "INVALID_OOB_CODE")
            #expect(
                try server.redeem(asked.oobCode, "ann@example.com", idToken: other.idToken).code == "INVALID_OOB_CODE"
            )
            #expect(try server.redeem(asked.oobCode, "bob@example.com", idToken: guest.idToken).status == 400)
            server.clock.advance(seconds: 101)
            let late = try server.redeem(asked.oobCode, "ann@example.com", idToken: guest.idToken)
            #expect(late.status == 400)
        }
    }

    @Test func `the sessions of a user that set an address without proof end when its owner signs in`() async throws {
        try await TestServer.run { server in
            let attacker = try server.guest()
            let set = try server.call(
                "accounts:update",
                ["idToken": .string(attacker.idToken), "email": "victim@example.com"]
            )
            #expect(set.status == 200)
            #expect(set.json["emailVerified"]?.bool == false)
            let victim = try server.signIn("victim@example.com")
            #expect(try server.lookup(set["idToken"]).code == "TOKEN_EXPIRED")
            #expect(try server.refresh(set["refreshToken"]).code == "TOKEN_EXPIRED")
            #expect(try server.user(victim.idToken)["emailVerified"]?.bool == true)
        }
    }

    @Test func `a disabled user is refused, and keeps the code`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let asked = try server.askForLink("ann@example.com")
            let desk = try Operator(file: nil, environment: server.environment)
            defer { desk.close() }
            try desk.setDisabled(true, ann.uid)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").code == "USER_DISABLED")
            #expect(["TOKEN_EXPIRED", "USER_DISABLED"].contains(try server.lookup(ann.idToken).code))
            #expect(["TOKEN_EXPIRED", "USER_DISABLED"].contains(try server.refresh(ann.refreshToken).code))
            try desk.setDisabled(false, ann.uid)
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a permanent user who links another address tells the old one, which can take it back`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let elsewhere = try server.signIn("ann@example.com")
            let asked = try server.askForLink("new@example.com")
            let known = try server.messages().count
            let linked = try Tokens(server.redeem(asked.oobCode, "new@example.com", idToken: ann.idToken))
            #expect(linked.uid == ann.uid)
            #expect(try server.lookup(elsewhere.idToken).code == "TOKEN_EXPIRED")
            let notice = try server.message(after: known)
            #expect(notice.to == "ann@example.com")
            let recovered = try server.call("accounts:update", ["oobCode": .string(notice.oobCode)])
            #expect(recovered.status == 200)
            #expect(recovered["email"] == "ann@example.com")
            #expect(try server.lookup(linked.idToken).code == "TOKEN_EXPIRED")
        }
    }

    @Test func `resetPassword tells what a code is for and does not use it`() async throws {
        try await TestServer.run { server in
            let asked = try server.askForLink("ann@example.com")
            for _ in 0..<3 {
                let answer = try server.call("accounts:resetPassword", ["oobCode": .string(asked.oobCode)])
                #expect(answer.keys == ["kind", "requestType"], "a sign-in link does not tell whose it is")
                #expect(answer["requestType"] == "EMAIL_SIGNIN")
            }
            #expect(try server.call("accounts:resetPassword").code == "MISSING_OOB_CODE")
            let unknown = try server.call("accounts:resetPassword", ["oobCode": "x"])
            #expect(unknown.code == "INVALID_OOB_CODE")
            let password = try server.call(
                "accounts:resetPassword",
                ["oobCode": .string(asked.oobCode), "newPassword": "secret"]
            )
            #expect(password.code == "OPERATION_NOT_ALLOWED")
            #expect(try server.redeem(asked.oobCode, "ann@example.com").status == 200)
            let used = try server.call("accounts:resetPassword", ["oobCode": .string(asked.oobCode)])
            #expect(used.code == "INVALID_OOB_CODE")
        }
    }
}
