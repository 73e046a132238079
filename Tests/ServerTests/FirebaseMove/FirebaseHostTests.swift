import Foundation
import HTTPServer
import JSON
import Testing
import Transfer

@testable import Server

@Suite("Hosts of a move from Firebase")
struct FirebaseHostTests {
    private func request(_ headers: [(name: String, value: String)]) -> Request {
        Request(method: .post, target: "/v1/accounts:lookup", headers: headers)
    }

    @Test func `Google's three hosts are asked, and no others`() {
        let hosts = Set(FirebaseHost.allCases.map(\.rawValue))
        #expect(hosts == ["identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com"])
        #expect(
            FirebaseHost.keys.url(FirebaseTokens.keySetPath, upstream: nil)
                == "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        )
        #expect(
            FirebaseHost.tokens.url("/v1/token", upstream: "http://127.0.0.1:9100")
                == "http://127.0.0.1:9100/securetoken.googleapis.com/v1/token"
        )
    }

    @Test func `nothing that a client sends leads a question to another host, port or scheme`() throws {
        let hostile = [
            "x", "@evil.example", "x@evil.example/", ":443@evil.example", "//evil.example", "/../../", "#", "?", "\\",
            "a b", "\u{0}", "\r\nHost: evil.example", "%2F%2Fevil.example", "ключ",
        ]
        for text in hostile {
            let asker = FirebaseAsker(
                key: text,
                of: request([("Host", text), ("X-Forwarded-Host", text), ("X-Firebase-Client", text)]),
                admits: { _ in true }
            )
            let body: JSONValue = ["host": .string(text), "tenantId": .string(text)]
            for (host, question) in [
                (FirebaseHost.tokens, asker.question(refreshing: text)),
                (.identityToolkit, asker.question(.post, "/v1/accounts:lookup", json: body.object)),
            ] {
                let url = try #require(URLComponents(string: host.url(question.url, upstream: nil)), "\(text)")
                #expect(url.scheme == "https" && url.host == host.rawValue && url.port == nil, "\(text)")
                #expect(url.user == nil && url.fragment == nil && url.query?.hasPrefix("key=") == true, "\(text)")
                #expect(["/v1/token", "/v1/accounts:lookup"].contains(url.path), "\(text)")
                #expect(question.headers.allSatisfy { $0.name.lowercased() != "host" })
            }
            #expect(FirebaseCall.named("accounts:lookup\(text)") == nil && FirebaseCall.reading(text) == nil)
        }
    }
}
