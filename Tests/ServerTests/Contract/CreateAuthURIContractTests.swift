import JSON
import Testing

/// The contract's section 3.7.
@Suite("Contract, 3.7: sign-in methods of an address")
struct CreateAuthURIContractTests {
    private static func ask(_ email: String, _ server: TestServer, session: String? = nil) throws -> Answer {
        var members = JSONObject()
        members.append("identifier", .string(email))
        members.append("continueUri", "http://localhost/")
        if let session { members.append("sessionId", .string(session)) }
        return try server.call("accounts:createAuthUri", .object(members))
    }

    static let refused: [(JSONValue, Int, String)] = [
        (["providerId": "google.com"], 501, ""), ([:], 400, "MISSING_IDENTIFIER"),
        (["identifier": "x"], 400, "MISSING_CONTINUE_URI"),
        (["identifier": "x", "continueUri": "y"], 400, "INVALID_IDENTIFIER"),
        (["identifier": "a@b.co", "continueUri": "y"], 400, "INVALID_CONTINUE_URI"),
    ]

    @Test func `errors are reported in the order of the checks`() async throws {
        try await TestServer.run { server in
            for (body, status, code) in Self.refused {
                let answer = try server.call("accounts:createAuthUri", body)
                #expect(answer.status == status && (code.isEmpty || answer.code == code), "\(body): \(answer.text)")
            }
        }
    }

    @Test func `the answer names the sign-in methods of an address, and whether it is registered`() async throws {
        try await TestServer.run { server in
            let nobody = try Self.ask("nobody@example.com", server, session: "my session")
            #expect(nobody.keys.sorted() == ["allProviders", "kind", "registered", "sessionId", "signinMethods"])
            #expect(nobody["kind"] == "identitytoolkit#CreateAuthUriResponse")
            #expect(nobody["sessionId"] == "my session")
            #expect(nobody.json["registered"] == false)
            #expect(nobody.json["allProviders"] == [])
            #expect(nobody.json["signinMethods"] == [])
            _ = try server.signIn("ann@example.com")
            let ann = try Self.ask("Ann@Example.com", server)
            #expect(ann["sessionId"].utf8.count == 27)
            #expect(ann.json["registered"] == true)
            #expect(ann.json["allProviders"] == ["password"])
            #expect(ann.json["signinMethods"] == ["emailLink"])
        }
    }

    @Test func `an address with a provider identity alone has that provider as its sign-in method`() async throws {
        try await TestServer.run { server in
            let uid = try server.make([:])
            _ = try server.owner(
                "/accounts:update",
                [
                    "localId": .string(uid),
                    "linkProviderUserInfo": ["providerId": "google.com", "rawId": "7", "email": "ann@gmail.com"],
                ]
            )
            let answer = try Self.ask("ann@gmail.com", server)
            #expect(answer.json["registered"] == true)
            #expect(answer.json["allProviders"] == ["google.com"])
            #expect(answer.json["signinMethods"] == ["google.com"])
        }
    }

    @Test func `where addresses may be used twice, the only sign-in method is the e-mail link`() async throws {
        try await TestServer.run { server in
            let uid = try server.signIn("ann@example.com").uid
            _ = try server.owner(
                "/accounts:update",
                [
                    "localId": .string(uid),
                    "linkProviderUserInfo": ["providerId": "google.com", "rawId": "7", "email": "ann@example.com"],
                ]
            )
            let both = try Self.ask("ann@example.com", server)
            let providers = both.json["allProviders"]?.array?.compactMap(\.string).sorted()
            #expect(providers == ["google.com", "password"])
            try server.configure(["signIn": ["allowDuplicateEmails": true]])
            let answer = try Self.ask("ann@example.com", server)
            #expect(answer.json["allProviders"] == ["password"])
            #expect(answer.json["signinMethods"] == ["emailLink"])
        }
    }

    @Test func `where addresses may be used twice, a provider's address is registered and the provider not told`()
        async throws
    {
        try await TestServer.run { server in
            let uid = try server.signIn("ann@example.com").uid
            _ = try server.owner(
                "/accounts:update",
                [
                    "localId": .string(uid),
                    "linkProviderUserInfo": ["providerId": "google.com", "rawId": "7", "email": "ann@gmail.com"],
                ]
            )
            try server.configure(["signIn": ["allowDuplicateEmails": true]])
            let answer = try Self.ask("ann@gmail.com", server)
            #expect(answer.json["registered"] == true, "\(answer.text)")
            #expect(answer.json["allProviders"] == ["password"])
            #expect(answer.json["signinMethods"] == ["emailLink"])
            #expect(try Self.ask("nobody@gmail.com", server).json["registered"] == false)
        }
    }

    @Test func `with e-mail privacy the answer reveals nothing about any address`() async throws {
        try await TestServer.run { server in
            _ = try server.signIn("ann@example.com")
            try server.configure(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]])
            for email in ["ann@example.com", "nobody@example.com"] {
                #expect(
                    try Self.ask(email, server, session: "s").text
                        == #"{"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"s"}"#
                )
            }
        }
    }
}
