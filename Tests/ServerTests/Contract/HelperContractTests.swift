import JSON
import Testing

/// The contract's sections 3.13 and 3.14: what test suites for the emulator expect.
@Suite("Contract, 3.13 and 3.14: development helpers and links")
struct HelperContractTests {
    private static let project = "/emulator/v1/projects/demo-latchkey"

    @Test func `GET of the root answers programs that the emulator is ready`() async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", "/")
            #expect(answer.json["authEmulator"]?["ready"] == true, "\(answer.text)")
        }
    }

    @Test func `codes are listed oldest first, with their links, until they are used`() async throws {
        try await TestServer.run { server in
            let first = try server.askForLink("ann@example.com"), second = try server.askForLink("bob@example.com")
            let codes = try server.oobCodes()
            #expect(codes.map { $0["email"] } == ["ann@example.com", "bob@example.com"])
            #expect(codes.map { $0["requestType"] } == ["EMAIL_SIGNIN", "EMAIL_SIGNIN"])
            for (code, asked) in zip(codes, [first, second]) {
                #expect(code["oobCode"]?.string == asked.oobCode)
                #expect(code["oobLink"]?.string?.contains("oobCode=\(asked.oobCode)") == true)
                #expect(code["oobLink"]?.string?.hasPrefix("http://") == true)
            }
            _ = try server.redeem(first.oobCode, "ann@example.com")
            #expect(try server.oobCodes().map { $0["email"] } == ["bob@example.com"])
        }
    }

    @Test func `a change of address is listed with the new one`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let known = try server.messages().count
            _ = try server.call(
                "accounts:sendOobCode",
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(ann.idToken),
                    "newEmail": "new@example.com",
                ]
            )
            _ = try server.message(after: known)
            let code = try #require(try server.oobCodes().last)
            #expect(code["requestType"] == "VERIFY_AND_CHANGE_EMAIL")
            #expect(code["email"] == "ann@example.com")
            #expect(code["newEmail"] == "new@example.com")
        }
    }

    @Test func `deleting all users keeps codes and configuration`() async throws {
        try await TestServer.run { server in
            try server.configure(["signIn": ["allowDuplicateEmails": true]])
            let guest = try server.guest()
            _ = try server.askForLink("ann@example.com")
            let answer = try server.send("DELETE", "\(Self.project)/accounts")
            #expect(answer.text == "{}")
            #expect(try server.lookup(guest.idToken).code == "USER_NOT_FOUND")
            #expect(try server.oobCodes().count == 1)
            #expect(try server.send("GET", "\(Self.project)/config").json["signIn"]?["allowDuplicateEmails"] == true)
        }
    }

    @Test func `deleting the state deletes everything`() async throws {
        try await TestServer.run { server in
            try server.configure(["signIn": ["allowDuplicateEmails": true]])
            let guest = try server.guest()
            _ = try server.askForLink("ann@example.com")
            #expect(try server.send("DELETE", "\(Self.project)/state").text == "{}")
            #expect(try server.lookup(guest.idToken).code == "USER_NOT_FOUND")
            #expect(try server.oobCodes().isEmpty)
            #expect(try server.messages().isEmpty)
            #expect(try server.send("GET", "\(Self.project)/config").json["signIn"]?["allowDuplicateEmails"] == false)
        }
    }

    @Test func `the configuration is read, and only given members are changed`() async throws {
        try await TestServer.run { server in
            let initial = try server.send("GET", "\(Self.project)/config")
            #expect(
                initial.text
                    == #"{"signIn":{"allowDuplicateEmails":false},"emailPrivacyConfig":{"enableImprovedEmailPrivacy":false}}"#
            )
            try server.configure(["signIn": ["allowDuplicateEmails": true]])
            try server.configure(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]])
            let changed = try server.send("GET", "\(Self.project)/config").json
            #expect(changed["signIn"]?["allowDuplicateEmails"] == true)
            #expect(changed["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
        }
    }

    @Test func `the list of telephone codes is empty`() async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", "\(Self.project)/verificationCodes")
            #expect(answer.text == #"{"verificationCodes":[]}"#)
        }
    }

    @Test(arguments: ["/emulator/auth/handler", "/emulator/auth/iframe"])
    func `the emulator's provider window is not implemented`(_ path: String) async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", path)
            #expect(answer.status == 501)
        }
    }

    @Test func `no helper answers in production`() async throws {
        try await TestServer.runInProduction { server in
            for (method, path) in [
                ("GET", "\(Self.project)/oobCodes"), ("DELETE", "\(Self.project)/accounts"),
                ("DELETE", "\(Self.project)/state"), ("GET", "\(Self.project)/config"),
                ("PATCH", "\(Self.project)/config"), ("GET", "\(Self.project)/verificationCodes"),
                ("GET", "/emulator/action"), ("GET", "/emulator/openapi.json"), ("GET", "/mailbox/messages"),
            ] {
                let answer = try server.send(method, path, headers: ["Authorization: Bearer owner"])
                #expect(answer.status == 404, "\(method) \(path): \(answer.status)")
            }
        }
    }

    // MARK: 3.14

    @Test func `a sign-in link redirects to the app with its code each time it is opened`() async throws {
        try await TestServer.run { server in
            _ = try server.askForLink("ann@example.com", continueURL: "http://localhost/finish?x=1")
            let code = try #require(try server.oobCodes().first?["oobCode"]?.string)
            let query = "mode=signIn&lang=en&oobCode=\(code)&apiKey=fake-api-key"
            for _ in 0..<2 {
                let answer = try server.send(
                    "GET",
                    "/emulator/action?\(query)&continueUrl=http%3A%2F%2Flocalhost%2Ffinish%3Fx%3D1"
                )
                #expect(answer.status == 303, "\(answer.text)")
                let location = try #require(answer.header("location"))
                #expect(location.hasPrefix("http://localhost/finish?"))
                for part in ["x=1", "mode=signIn", "lang=en", "oobCode=\(code)", "apiKey="] {
                    #expect(location.contains(part), "\(part) in \(location)")
                }
            }
            #expect(try server.send("GET", "/emulator/action?\(query)").status == 400)
            #expect(try server.redeem(code, "ann@example.com").status == 200)
        }
    }

    @Test(arguments: ["mode=signIn&oobCode=x", "mode=signIn&apiKey=x", ""])
    func `a link without key or code is refused`(_ query: String) async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", "/emulator/action?\(query)")
            #expect(answer.status == 400)
            #expect(answer.json["authEmulator"]?["error"]?.string?.isEmpty == false, "\(answer.text)")
        }
    }

    @Test func `resetPassword answers the purpose of any code, and keeps the code`() async throws {
        try await TestServer.run { server in
            _ = try server.make(["email": "ann@example.com"])
            for (type, more) in [
                ("EMAIL_SIGNIN", [:]), ("VERIFY_EMAIL", [:]), ("VERIFY_AND_CHANGE_EMAIL", ["newEmail": "n@b.co"]),
            ] as [(String, JSONValue)] {
                var members = JSONObject()
                members.append("requestType", .string(type))
                members.append("email", "ann@example.com")
                members.append("returnOobLink", true)
                for (name, value) in more.object?.members ?? [] { members[name] = value }
                let code = try server.owner("/accounts:sendOobCode", .object(members))["oobCode"]
                for _ in 0..<2 {
                    let answer = try server.call("accounts:resetPassword", ["oobCode": .string(code)])
                    #expect(answer["kind"] == "identitytoolkit#ResetPasswordResponse", "\(answer.text)")
                    #expect(answer["requestType"] == type)
                    #expect(answer.keys.contains("email") == (type != "EMAIL_SIGNIN"))
                    #expect(answer.keys.contains("newEmail") == (type == "VERIFY_AND_CHANGE_EMAIL"))
                }
            }
            #expect(try server.call("accounts:resetPassword", ["oobCode": "x"]).code == "INVALID_OOB_CODE")
        }
    }
}
