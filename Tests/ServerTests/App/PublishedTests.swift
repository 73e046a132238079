import Foundation
import JSON
import Testing

@Suite("Published documents")
struct PublishedTests {
    @Test(arguments: [("ES256", "EC"), ("EdDSA", "OKP"), ("RS256", "RSA")])
    func `the key set holds the key that signs, and no private part`(algorithm: String, type: String) async throws {
        try await TestServer.run(["SIGNING_ALGORITHM": algorithm]) { server in
            let answer = try server.send("GET", "/.well-known/jwks.json", headers: ["Origin: https://app.example.com"])
            #expect(answer.status == 200)
            #expect(answer.header("cache-control") == "public, max-age=3600")
            #expect(answer.header("access-control-allow-origin") == "https://app.example.com")
            let keys = try #require(answer.json["keys"]?.array)
            #expect(keys.count == 1)
            #expect(keys.first?["kty"]?.string == type)
            #expect(keys.first?["alg"]?.string == algorithm)
            #expect(keys.first?["use"]?.string == "sig")
            for part in ["d", "p", "q", "dp", "dq", "qi"] { #expect(keys.first?[part] == nil) }
            let guest = try server.guest()
            #expect(try Claims(guest.idToken).header["kid"] == keys.first?["kid"])
            #expect(try Claims(guest.idToken).header["alg"]?.string == algorithm)
            #expect(try server.lookup(guest.idToken).status == 200)
        }
    }

    @Test func `discovery leads from the issuer to the keys`() async throws {
        try await TestServer.runInProduction { server in
            let answer = try server.send("GET", "/.well-known/openid-configuration")
            #expect(answer.status == 200)
            #expect(answer["issuer"] == "https://auth.example.com")
            #expect(answer["jwks_uri"] == "https://auth.example.com/.well-known/jwks.json")
            #expect(try Claims(server.guest().idToken)["iss"]?.string == "https://auth.example.com")
        }
        try await TestServer.run(["PROJECT_ID": "shop", "ISSUER": "https://id.example.com"]) { server in
            #expect(try server.send("GET", "/.well-known/openid-configuration")["issuer"] == "https://id.example.com")
            let claims = try Claims(server.guest().idToken)
            #expect(claims["iss"]?.string == "https://id.example.com")
            #expect(claims["aud"]?.string == "shop")
        }
    }

    @Test func `apps learn from the server that its links are theirs`() async throws {
        let file = """
            { apple: { appIDs: ["TEAM.com.example.app"] },
              android: { apps: [{ package: "com.example.app", fingerprints: ["AA:BB"] }] } }
            """
        try await TestServer.run(file: file) { server in
            let apple = try server.send("GET", "/.well-known/apple-app-site-association")
            #expect(apple.status == 200)
            #expect(apple.header("content-type")?.hasPrefix("application/json") == true)
            #expect(
                apple.text
                    == #"{"applinks":{"details":[{"appIDs":["TEAM.com.example.app"],"components":[{"/":"/auth/action"}]}]}}"#
            )
            let android = try server.send("GET", "/.well-known/assetlinks.json")
            #expect(
                android.text
                    == #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","#
                    + #""package_name":"com.example.app","sha256_cert_fingerprints":["AA:BB"]}}]"#
            )
        }
        try await TestServer.run { server in
            let apple = try server.send("GET", "/.well-known/apple-app-site-association")
            #expect(apple.text == #"{"applinks":{"details":[]}}"#)
            #expect(try server.send("GET", "/.well-known/assetlinks.json").text == "[]")
        }
    }

    @Test func `health and readiness answer, and HEAD like GET`() async throws {
        try await TestServer.run { server in
            let health = try server.send("GET", "/healthz")
            #expect(health.text == #"{"status":"ok"}"#)
            #expect(try server.send("GET", "/readyz").text == #"{"status":"ready"}"#)
            for path in ["/healthz", "/readyz", "/.well-known/jwks.json", "/", "/auth/style.css"] {
                let get = try server.send("GET", path)
                let head = try server.send("HEAD", path)
                #expect(head.status == 200)
                #expect(head.header("content-length") == String(get.body.count), "\(path)")
            }
        }
    }
}
