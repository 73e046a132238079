import JSON
import Testing

/// The contract's section 3.2.
@Suite("Contract, 3.2: e-mailed codes")
struct OobCodeContractTests {
    private static func link(_ type: String, _ more: JSONValue = [:], _ server: TestServer) throws -> Answer {
        var members = JSONObject()
        members.append("requestType", .string(type))
        members.append("returnOobLink", true)
        for (name, value) in more.object?.members ?? [] { members[name] = value }
        return try server.owner("/accounts:sendOobCode", .object(members))
    }

    @Test func `an administrator gets code and link of each kind, and no e-mail is sent`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["email": "ann@example.com"])
            for (type, mode, more) in [
                ("EMAIL_SIGNIN", "signIn", ["email": "Ann@Example.com", "continueUrl": "http://localhost/x"]),
                ("VERIFY_EMAIL", "verifyEmail", ["email": "ann@example.com"]),
                (
                    "VERIFY_AND_CHANGE_EMAIL", "verifyAndChangeEmail",
                    ["email": "ann@example.com", "newEmail": "n@b.co"]
                ),
            ] as [(String, String, JSONValue)] {
                let answer = try Self.link(type, more, server)
                #expect(answer.status == 200, "\(type): \(answer.text)")
                #expect(answer["kind"] == "identitytoolkit#GetOobConfirmationCodeResponse")
                #expect(answer["email"] == "ann@example.com", "\(type)")
                #expect(answer["oobCode"].wholeMatch(of: /[A-Za-z0-9_-]{54}/) != nil, "\(type)")
                for part in ["mode=\(mode)", "oobCode=\(answer["oobCode"])", "apiKey=", "lang="] {
                    #expect(answer["oobLink"].contains(part), "\(part) in \(answer["oobLink"])")
                }
                #expect(answer["oobLink"].contains("continueUrl=") == (type == "EMAIL_SIGNIN"))
            }
            #expect(try server.messages().isEmpty)
        }
    }

    @Test func `a sign-in link can be created for an unknown address, and then creates its user`() async throws {
        try await TestServer.run { server in
            let answer = try Self.link("EMAIL_SIGNIN", ["email": "new@example.com"], server)
            let signedIn = try server.redeem(answer["oobCode"], "new@example.com")
            #expect(signedIn.json["isNewUser"] == true)
        }
    }

    @Test func `the order in which an administrator's request is refused`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["email": "taken@b.co"])
            let refused: [(JSONValue, String)] = [
                ([:], "MISSING_REQ_TYPE"),
                (["requestType": "EMAIL_SIGNIN", "continueUrl": "x"], "INVALID_CONTINUE_URI"),
                (["requestType": "EMAIL_SIGNIN"], "MISSING_EMAIL"), (["requestType": "VERIFY_EMAIL"], "MISSING_EMAIL"),
                (["requestType": "VERIFY_EMAIL", "email": "nobody@b.co"], "USER_NOT_FOUND"),
                (["requestType": "VERIFY_AND_CHANGE_EMAIL"], "MISSING_NEW_EMAIL"),
                (["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "n@b.co"], "MISSING_EMAIL"),
                (
                    ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "n@b.co", "email": "nobody@b.co"],
                    "USER_NOT_FOUND"
                ),
                (
                    ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "taken@b.co", "email": "taken@b.co"],
                    "EMAIL_EXISTS"
                ),
            ]
            for (body, code) in refused {
                var members = try #require(body.object)
                members["returnOobLink"] = true
                #expect(try server.owner("/accounts:sendOobCode", .object(members)).code == code, "\(body)")
            }
        }
    }

    @Test func `an administrator may name the user by a token, and must if the link is e-mailed`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let answer = try Self.link("VERIFY_EMAIL", ["idToken": .string(ann.idToken)], server)
            #expect(answer["email"] == "ann@example.com", "\(answer.text)")
            #expect(!answer["oobCode"].isEmpty)
            let mailed = try server.owner(
                "/accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "email": "ann@example.com"]
            )
            #expect(mailed.code == "INVALID_ID_TOKEN")
        }
    }

    @Test func `a mail that a Firebase SDK asks for shows its link and no code`() async throws {
        try await TestServer.run { server in
            let sdk = ["X-Client-Version: iOS/FirebaseSDK/12.0.0/FirebaseCore-iOS"]
            let asked = try server.askForLink("ann@example.com", headers: sdk)
            #expect(asked.mail.digits.isEmpty, "\(asked.mail.text)")
            #expect(!asked.mail.text.contains("code"), "nor does a sentence speak of one")
            #expect(try server.redeem(asked.oobCode, "ann@example.com", headers: sdk).status == 200)
            let other = try server.askForLink("bob@example.com")
            #expect(other.mail.digits.count == 8)
        }
    }

    @Test(arguments: [true, false])
    func `a mail that is sent again from the page to a Firebase SDK's user shows no code either`(
        _ isOpen: Bool
    ) async throws {
        try await TestServer.run(["APPLE_APP_IDS": "ABCDE12345.com.example.app"]) { server in
            for (email, headers) in [
                ("ann@example.com", ["X-Client-Version: iOS/FirebaseSDK/12.0.0/FirebaseCore-iOS"]),
                ("bob@example.com", []),
            ] {
                let asked = try server.askForLink(email, headers: headers)
                try server.waitUntilMailsAreFinished()
                if isOpen {
                    server.clock.advance(seconds: 1000)
                } else {
                    #expect(try server.redeem(asked.oobCode, email).status == 200)
                    let wrong = try server.call(
                        "accounts:delete",
                        ["idToken": .string(try server.signIn(email).idToken)]
                    )
                    #expect(wrong.status == 200, "so that the page offers a new e-mail")
                }
                // Twice: the ticket of the first e-mail that is sent again remembers it, too.
                var code = asked.oobCode
                for _ in 0..<2 {
                    let known = try server.messages().count
                    let page = try server.answerLink(code, "resend")
                    #expect(page.status == 200 && page.text.contains("Check your inbox"), "\(page.text)")
                    let mail = try server.message(after: known)
                    #expect(mail.digits.count == (headers.isEmpty ? 8 : 0), "\(mail.text)")
                    try server.waitUntilMailsAreFinished()
                    server.clock.advance(seconds: 1000)
                    code = mail.oobCode
                }
            }
        }
    }

    @Test func `other parameters of web clients are ignored`() async throws {
        try await TestServer.run { server in
            let answer = try server.call(
                "accounts:sendOobCode",
                [
                    "requestType": "EMAIL_SIGNIN", "email": "ann@example.com", "clientType": "CLIENT_TYPE_WEB",
                    "continueUrl": "http://localhost/finish", "canHandleCodeInApp": true, "captchaResp": "x",
                    "recaptchaVersion": "RECAPTCHA_ENTERPRISE", "iOSBundleId": "x", "iOSAppStoreId": "x",
                    "androidPackageName": "x", "androidInstallApp": true, "androidMinimumVersionCode": "1",
                    "dynamicLinkDomain": "x.page.link", "linkDomain": "x", "userIp": "::1", "challenge": "x",
                ]
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(!answer.keys.contains("oobCode"))
            #expect(!answer.keys.contains("oobLink"))
        }
    }

    @Test func `a new code leaves older codes valid`() async throws {
        try await TestServer.run { server in
            let first = try server.askForLink("ann@example.com"), second = try server.askForLink("ann@example.com")
            #expect(first.oobCode != second.oobCode)
            #expect(try server.redeem(first.oobCode, "ann@example.com").status == 200)
            #expect(try server.redeem(second.oobCode, "ann@example.com").status == 200)
        }
    }

    @Test func `a verification by token ignores a given address`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            let answer = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "idToken": .string(ann.idToken), "email": "bob@example.com"]
            )
            #expect(answer["email"] == "ann@example.com")
            #expect(try server.message(after: known).to == "ann@example.com")
        }
    }

    @Test func `a guest without an address cannot ask for a verification`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            let answer = try server.call(
                "accounts:sendOobCode",
                ["requestType": "VERIFY_EMAIL", "idToken": .string(guest.idToken)]
            )
            #expect(answer.code == "MISSING_EMAIL")
        }
    }

    @Test(arguments: ["OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT", "RECOVER_EMAIL", "REVERT_SECOND_FACTOR_ADDITION"])
    func `other types of e-mail are not implemented`(_ type: String) async throws {
        try await TestServer.run { server in
            let answer = try server.call("accounts:sendOobCode", ["requestType": .string(type), "email": "a@b.co"])
            #expect(answer.status == 501)
        }
    }
}
