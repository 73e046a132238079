import Crypto
import Database
import Foundation
import JSON
import Server
import Testing
import Tokens

@Suite("Session cookies")
struct SessionCookieTests {
    private static let owner = ["Authorization: Bearer owner"]
    private static let path = "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey:createSessionCookie"

    private static func create(
        _ server: TestServer,
        _ idToken: String,
        for duration: JSONValue? = nil,
        path: String = path,
        headers: [String] = owner
    ) throws -> Answer {
        var body = JSONObject()
        body.append("idToken", .string(idToken))
        if let duration { body.append("validDuration", duration) }
        return try server.send("POST", path, headers: headers, body: JSONValue.object(body).serialized())
    }

    /// The published keys.
    private static func keys(_ server: TestServer) throws -> VerificationKeys {
        let jwks = try server.send("GET", "/.well-known/jwks.json").json["keys"]?.array ?? []
        return VerificationKeys(
            try jwks.map { value in
                let object = try #require(value.object)
                return try TokenVerificationKey(#require(JWK(object)))
            }
        )
    }

    @Test func `a cookie says what the ID token says, under an issuer of its own, for as long as asked`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            for (duration, life) in [(nil, 1_209_600), ("300", 300), (600, 600), ("1209600", 1_209_600)]
                as [(JSONValue?, Int64)]
            {
                for prefix in ["", "/identitytoolkit.googleapis.com"] {
                    let path = "\(prefix)/v1/projects/any:createSessionCookie"
                    let answer = try Self.create(server, ann.idToken, for: duration, path: path)
                    #expect(answer.status == 200, "\(answer.text)")
                    #expect(answer.keys == ["sessionCookie"])
                    let cookie = try Claims(answer["sessionCookie"]), token = try Claims(ann.idToken)
                    #expect(cookie["iss"] == "https://session.firebase.google.com/demo-latchkey")
                    let issuedAt = try #require(cookie["iat"]?.int64)
                    #expect(cookie["exp"]?.int64 == issuedAt + life)
                    #expect(issuedAt >= (token["iat"]?.int64 ?? .max))
                    let same = try #require(token.payload.object?.members.filter { !Self.own.contains($0.name) })
                    #expect(!same.isEmpty)
                    for (name, value) in same { #expect(cookie[name] == value, "\(name)") }
                    #expect(cookie.payload.object?.count == token.payload.object?.count)
                }
            }
        }
    }

    private static let own: Set<String> = ["iss", "iat", "exp"]

    @Test func `the operator sets the longest life of a cookie`() async throws {
        try await TestServer.run(["LIFE_SESSION_COOKIE": "1h"]) { server in
            let ann = try server.signIn("ann@example.com")
            let cookie = try Claims(Self.create(server, ann.idToken)["sessionCookie"])
            #expect(cookie["exp"]?.int64 == cookie["iat"]?.int64.map { $0 + 3600 })
            #expect(try Self.create(server, ann.idToken, for: "3600").status == 200)
            #expect(try Self.create(server, ann.idToken, for: "3601").code == "INVALID_DURATION")
        }
    }

    @Test func `a back end learns that a stolen cookie's session has ended`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let sid = try #require(Claims(Self.create(server, ann.idToken)["sessionCookie"])["sid"]?.string)
            let path = "/v1/projects/demo-latchkey/users/\(ann.uid)/sessions/\(sid)"
            #expect(try server.send("GET", path, headers: Self.owner).status == 200)
            _ = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            #expect(try server.send("GET", path, headers: Self.owner).code == "SESSION_NOT_FOUND")
        }
    }

    @Test func `a session cookie is not accepted as an ID token`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let cookie = try Self.create(server, ann.idToken)["sessionCookie"]
            #expect(try server.lookup(cookie).code == "INVALID_ID_TOKEN")
            #expect(try Self.create(server, cookie).code == "INVALID_ID_TOKEN")
        }
    }

    @Test(arguments: [
        ("{}", "MISSING_ID_TOKEN"), (#"{"idToken":""}"#, "MISSING_ID_TOKEN"),
        (#"{"validDuration":"1"}"#, "MISSING_ID_TOKEN"),
        (#"{"idToken":"x","validDuration":"299"}"#, "INVALID_DURATION"),
        (#"{"idToken":"x","validDuration":1209601}"#, "INVALID_DURATION"),
        (#"{"idToken":"x","validDuration":"-9223372036854775808"}"#, "INVALID_DURATION"),
        (#"{"idToken":"x","validDuration":"0"}"#, "INVALID_DURATION"),
        (#"{"idToken":"x"}"#, "INVALID_ID_TOKEN"), (#"{"idToken":"x","validDuration":"300"}"#, "INVALID_ID_TOKEN"),
        (#"{"idToken":"x","validDuration":"five"}"#, "Invalid JSON payload received."),
        (#"{"idToken":"x","validDuration":1.5}"#, "Invalid JSON payload received."),
    ])
    func `what cannot be is refused in the emulator's order`(body: String, code: String) async throws {
        try await TestServer.run { server in
            let answer = try server.send("POST", Self.path, headers: Self.owner, body: Array(body.utf8))
            #expect(answer.status == 400)
            #expect(answer.message.hasPrefix(code), "\(answer.text)")
        }
    }

    @Test func `a token that no longer counts makes no cookie`() async throws {
        try await TestServer.run { server in
            let guest = try server.guest()
            _ = try server.call("accounts:signOut", ["refreshToken": .string(guest.refreshToken)])
            #expect(try Self.create(server, guest.idToken).code == "USER_NOT_FOUND")
            let ann = try server.signIn("ann@example.com")
            _ = try server.call("accounts:signOut", ["refreshToken": .string(ann.refreshToken)])
            #expect(try Self.create(server, ann.idToken).code == "TOKEN_EXPIRED")
            let bob = try server.signIn("bob@example.com")
            server.clock.advance(seconds: 3601)
            #expect(try Self.create(server, bob.idToken).code == "TOKEN_EXPIRED")
            let cleo = try server.signIn("cleo@example.com")
            try server.withDatabase { try $0.execute("UPDATE users SET disabled_at = 1 WHERE uid = \(cleo.uid)") }
            #expect(try Self.create(server, cleo.idToken).code == "USER_DISABLED")
        }
    }

    @Test func `only an administrator gets one, and only for this project`() async throws {
        try await TestServer.runInProduction(["ADMIN_KEY": TestServer.secret]) { server in
            let ann = try server.signIn("ann@example.com")
            func status(_ headers: [String], _ path: String = Self.path) throws -> (Int, String) {
                let answer = try Self.create(server, ann.idToken, path: path, headers: headers)
                return (answer.status, answer.code)
            }
            let key = ["Authorization: Bearer \(TestServer.secret)"]
            #expect(try status(key) == (200, "ok"))
            #expect(try status([]).0 == 403)
            #expect(try status(["X-Goog-Api-Key: k"]) == (400, "INSUFFICIENT_PERMISSION"))
            #expect(try status([], "\(Self.path)?key=k") == (400, "INSUFFICIENT_PERMISSION"))
            for bearer in ["owner", "ya29.x", ann.idToken] {
                #expect(try status(["Authorization: Bearer \(bearer)"]).0 == 401, "\(bearer)")
            }
            #expect(try status(key, "/v1/projects/other:createSessionCookie").0 == 403)
        }
    }

    @Test func `a cookie outlives the rotation of keys, and the key that signed it goes after it`() async throws {
        try await TestServer.run { server in
            let ann = try server.signIn("ann@example.com")
            let cookie = try Self.create(server, ann.idToken)["sessionCookie"]
            _ = try Self.create(server, ann.idToken, for: "300")
            _ = try JWT.verify(cookie, keys: Self.keys(server))
            let desk = try Operator(file: server.file, environment: server.environment)
            defer { desk.close() }
            _ = try desk.rotateKeys(algorithm: "ES256")
            server.clock.advance(seconds: 13 * 86_400)
            try server.eventually("the new key signs") {
                try Claims(server.guest().idToken).header["kid"] != Claims(cookie).header["kid"]
            }
            _ = try JWT.verify(cookie, keys: Self.keys(server))
            server.clock.advance(seconds: 86_400 + 3600)
            try server.eventually("the old key is gone") { try Self.keys(server).all.count == 1 }
        }
    }
}
