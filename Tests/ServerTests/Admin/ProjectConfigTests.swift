import Accounts
import JSON
import Testing

@Suite("Switches of the project")
struct ProjectConfigTests {
    private static let owner = "Authorization: Bearer owner"
    private static let key = "an-administrator's-key-of-32-bytes-and-more"
    private static let standard: JSONValue = [
        "name": "projects/p/config", "signIn": ["allowDuplicateEmails": false], "blockingFunctions": [:],
        "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
    ]
    private static let everything: JSONValue = [
        "name": "projects/p/config", "signIn": ["allowDuplicateEmails": true],
        "blockingFunctions": ["triggers": ["beforeCreate": ["functionUri": "http://localhost/f"]]],
        "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true],
    ]

    private static func read(_ server: TestServer) throws -> JSONValue {
        try server.send("GET", "/identitytoolkit.googleapis.com/v2/projects/p/config", headers: [owner]).json
    }

    private static func patch(_ server: TestServer, _ body: JSONValue, mask: String? = nil) throws -> Answer {
        try server.send(
            "PATCH",
            "/v2/projects/p/config\(mask.map { "?updateMask=\($0)" } ?? "")",
            headers: [owner],
            body: body.serialized()
        )
    }

    @Test func `the project settings are read and replaced as a whole`() async throws {
        try await TestServer.run { server throws in
            #expect(try Self.read(server) == Self.standard)
            #expect(try Self.patch(server, Self.everything).json == Self.everything)
            #expect(try Self.read(server) == Self.everything)
            #expect(try Self.patch(server, [:]).json == Self.standard)
            #expect(try Self.read(server) == Self.standard)
            #expect(
                try Self.patch(server, ["sign_in": ["allow_duplicate_emails": true]]).json["signIn"] == [
                    "allowDuplicateEmails": true
                ]
            )
            #expect(try Self.patch(server, Self.everything, mask: "").json == Self.everything)
        }
    }

    struct Masked: Sendable, CustomTestStringConvertible {
        let mask: String
        let signIn: Bool
        let privacy: Bool
        var blocking = false
        var testDescription: String { mask }
    }

    @Test(arguments: [
        Masked(mask: "signIn", signIn: true, privacy: false),
        Masked(mask: "signIn.allowDuplicateEmails", signIn: true, privacy: false),
        Masked(mask: "emailPrivacyConfig", signIn: false, privacy: true),
        Masked(mask: "signIn,emailPrivacyConfig.enableImprovedEmailPrivacy", signIn: true, privacy: true),
        Masked(mask: "blockingFunctions.triggers.beforeCreate", signIn: false, privacy: false, blocking: true),
        Masked(mask: "displayName", signIn: false, privacy: false),
        Masked(mask: "signIn.allowDuplicateEmails.deeper", signIn: false, privacy: false),
        Masked(mask: "signIn.none", signIn: false, privacy: false),
        Masked(mask: ",,", signIn: false, privacy: false),
        Masked(mask: "signIn..x", signIn: false, privacy: false),
    ])
    func `change one by one where a mask says which`(masked: Masked) async throws {
        try await TestServer.run { server throws in
            let answer = try Self.patch(server, Self.everything, mask: masked.mask)
            #expect(answer.status == 200)
            #expect(answer.json["signIn"]?["allowDuplicateEmails"]?.bool == masked.signIn)
            #expect(answer.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == masked.privacy)
            #expect((answer.json["blockingFunctions"]?["triggers"] != nil) == masked.blocking)
            #expect(try Self.read(server) == answer.json)
        }
    }

    @Test func `named by a mask but missing stay`() async throws {
        try await TestServer.run { server throws in
            _ = try Self.patch(server, Self.everything)
            #expect(try Self.patch(server, [:], mask: "signIn,emailPrivacyConfig").json == Self.everything)
            let one = try Self.patch(server, ["signIn": [:]], mask: "signIn.allowDuplicateEmails")
            #expect(one.json == Self.everything)
        }
    }

    private static func trigger(_ event: String, _ function: JSONValue) -> JSONValue {
        var triggers = JSONObject()
        triggers.append(event, function)
        return ["blockingFunctions": ["triggers": .object(triggers)]]
    }

    static let refusals: [(body: JSONValue, message: String)] = [
        (
            trigger("beforeBreakfast", ["functionUri": "http://a.b/"]),
            "INVALID_BLOCKING_FUNCTION : (Event type is invalid.)"
        ),
        (
            trigger("beforeCreate", ["functionUri": "nowhere"]),
            "INVALID_BLOCKING_FUNCTION : (Expected an absolute URI with valid scheme and host.)"
        ),
        (
            trigger("beforeCreate", [:]),
            "INVALID_BLOCKING_FUNCTION : (Expected an absolute URI with valid scheme and host.)"
        ),
        (
            ["signIn": ["allowDuplicateEmails": "yes"]],
            "Invalid JSON payload received. /signIn/allowDuplicateEmails must be boolean"
        ),
        (["signIn": 7], "Invalid JSON payload received. /signIn must be object"),
        (
            ["blockingFunctions": ["x": .string(String(repeating: "x", count: 20_000))]],
            "Invalid JSON payload received. /blockingFunctions must NOT have more than 16384 bytes"
        ),
    ]

    @Test(arguments: refusals)
    func `one wrong project setting refuses the whole change`(body: JSONValue, message: String) async throws {
        try await TestServer.run { server throws in
            var body = body.object ?? JSONObject()
            if body["signIn"] == nil { body["signIn"] = ["allowDuplicateEmails": true] }
            let answer = try Self.patch(server, .object(body))
            #expect(answer.status == 400)
            #expect(answer.message == message)
            #expect(try Self.read(server) == Self.standard)
        }
    }

    @Test func `only administrators change the project settings, and changes are logged`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key, "PROJECT_ID": "p"]) { server throws in
            let body = Array(#"{"signIn":{"allowDuplicateEmails":true}}"#.utf8)
            for method in ["GET", "PATCH"] {
                #expect(
                    try server.send(method, "/v2/projects/p/config?key=k", body: body).code == "INSUFFICIENT_PERMISSION"
                )
                #expect(
                    try server.send(method, "/v2/projects/p/config", headers: [Self.owner], body: body).status == 401
                )
                let strange = ["Authorization: Bearer \(Self.key)"]
                #expect(try server.send(method, "/v2/projects/q/config", headers: strange, body: body).status == 403)
            }
            let answer = try server.send(
                "PATCH",
                "/v2/projects/p/config",
                headers: ["Authorization: Bearer \(Self.key)"],
                body: body
            )
            #expect(answer.json["signIn"]?["allowDuplicateEmails"]?.bool == true)
            // Settings that the body leaves out follow the operator's configuration, and are not switched off.
            #expect(answer.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true)
            #expect(server.log.contains("project.changed"))
        }
    }

    @Test func `promise no blocking functions in production, where an app would rely on them`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": Self.key, "PROJECT_ID": "p"]) { server throws in
            let answer = try server.send(
                "PATCH",
                "/v2/projects/p/config",
                headers: ["Authorization: Bearer \(Self.key)"],
                body: Self.everything.serialized()
            )
            #expect(answer.status == 501)
            let config = try server.send(
                "GET",
                "/v2/projects/p/config",
                headers: ["Authorization: Bearer \(Self.key)"]
            )
            #expect(config.json["signIn"]?["allowDuplicateEmails"]?.bool == false)
        }
    }

    @Test func `turn e-mail privacy on and off for the next call`() async throws {
        try await TestServer.run { server throws in
            let ann = try server.signIn("ann@example.com")
            _ = try server.signIn("bob@example.com")
            let change: JSONValue = [
                "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(ann.idToken),
                "newEmail": "bob@example.com",
            ]
            let set: JSONValue = ["idToken": .string(ann.idToken), "email": "carl@example.com"]
            #expect(try server.call("accounts:sendOobCode", change).message == "EMAIL_EXISTS")
            _ = try Self.patch(server, Self.everything, mask: "emailPrivacyConfig")
            #expect(try server.call("accounts:sendOobCode", change).status == 200)
            #expect(try server.call("accounts:update", set).code == "OPERATION_NOT_ALLOWED")
            _ = try Self.patch(server, Self.standard, mask: "emailPrivacyConfig")
            #expect(try server.call("accounts:sendOobCode", change).message == "EMAIL_EXISTS")
            #expect(try server.call("accounts:update", set).status == 200)
        }
    }
}
