import Foundation
import Testing

@testable import Server

/// latchkey.js as the server publishes it, and the demo.
@Suite("Client for web pages")
struct WebClientTests {
    @Test func `any page may import the module in production, and caches keep a version for ever`() async throws {
        try await TestServer.runInProduction { server in
            let release = try #require(WebClientRelease.all.last)
            for (path, caching) in [
                ("/sdk/latchkey.js", "public, max-age=300"),
                (release.path, "public, max-age=31536000, immutable"),
            ] {
                let answer = try server.send("GET", path, headers: ["Origin: https://anywhere.example"])
                #expect(answer.status == 200)
                #expect(answer.header("content-type") == "text/javascript; charset=utf-8")
                #expect(answer.header("cache-control") == caching)
                #expect(answer.header("access-control-allow-origin") == "https://anywhere.example")
                #expect(answer.header("cross-origin-resource-policy") == "cross-origin")
                #expect(answer.header("x-content-type-options") == "nosniff")
                #expect(answer.text.hasPrefix("// latchkey.js \(release.version)"))
                #expect(answer.header("content-encoding") == nil)
            }
            #expect(try server.send("GET", release.archivePath).header("content-type") == "application/gzip")
        }
    }

    @Test(arguments: [
        ("br, gzip", "br"), ("gzip, deflate, br;q=0.9", "br"), ("gzip", "gzip"), ("br;q=0, gzip", "gzip"),
        ("BR", "br"), ("identity", nil), ("*", nil),
    ])
    func `a browser gets the compression that it accepts`(accepted: String, sent: String?) async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", "/sdk/latchkey.js", headers: ["Accept-Encoding: \(accepted)"])
            #expect(answer.header("content-encoding") == sent)
            #expect(answer.header("vary")?.contains("Accept-Encoding") == true)
        }
    }

    @Test func `the hash is that of the module`() throws {
        let release = try #require(WebClientRelease.all.last)
        let integrity = try release.integrity()
        #expect(integrity.hasPrefix("sha256-"))
        #expect(Data(base64Encoded: String(integrity.dropFirst(7)))?.count == 32)
    }

    @Test func `the demo is in development only, under a policy without inline scripts`() async throws {
        try await TestServer.run { server in
            for path in ["/demo", "/demo/demo.js", "/demo/demo.css"] {
                let answer = try server.send("GET", path)
                #expect(answer.status == 200)
                #expect(answer.header("content-security-policy")?.contains("script-src 'self';") == true)
            }
            let page = try server.send("GET", "/demo").text
            #expect(!page.contains("<script>") && !page.contains(" style=") && !page.contains(" onclick="))
        }
        try await TestServer.runInProduction { server throws in
            #expect(try server.send("GET", "/demo").status == 404)
        }
    }
}
