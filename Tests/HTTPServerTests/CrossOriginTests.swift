import HTTPServer
import Testing

@Suite("Cross-origin calls") struct CrossOriginTests {
    private static func run(_ body: @escaping @Sendable (Client) throws -> Void) async throws {
        try await TestServer.run(
            routes: { router in
                router.add(.post, "/v1/shared", cors: true, maximumBody: 10) { _ in .response(.text("shared")) }
                router.add(.get, "/v1/fails", cors: true) { _ in throw HTTPError.stopping }
                router.setFallback(cors: { $0.hasPrefix("/v1/") }) { _ in throw HTTPError.notFound }
            }
        ) { test throws in try body(try test.connect()) }
    }

    @Test func `pages of other origins may read answers of shared routes, without credentials`() async throws {
        try await Self.run { client throws in
            let reply = try client.request("POST", "/v1/shared", headers: ["Origin: https://app.example"])
            #expect(reply.text == "shared")
            #expect(reply["Access-Control-Allow-Origin"] == "https://app.example")
            #expect(reply["Access-Control-Expose-Headers"] == "ETag, Retry-After, X-Request-Id")
            #expect(reply["Access-Control-Allow-Credentials"] == nil)
            #expect(reply.all("Vary").contains("Origin"))
        }
    }

    @Test func `vary also without an Origin`() async throws {
        try await Self.run { client throws in
            let reply = try client.request("POST", "/v1/shared")
            #expect(reply["Access-Control-Allow-Origin"] == nil)
            #expect(reply["Vary"] == "Origin")
        }
    }

    @Test(arguments: [("GET", "/v1/fails", 503), ("GET", "/v1/none", 404), ("GET", "/v1/shared", 405)])
    func `pages of other origins may read refusals`(method: String, path: String, status: Int) async throws {
        try await Self.run { client throws in
            let reply = try client.request(method, path, headers: ["Origin: null"])
            #expect(reply.status == status)
            #expect(reply["Access-Control-Allow-Origin"] == "null")
        }
    }

    @Test func `pages of other origins may read that a body is too long`() async throws {
        try await Self.run { client throws in
            let reply = try client.request(
                "POST",
                "/v1/shared",
                headers: ["Origin: https://a.b"],
                body: "more than ten"
            )
            #expect(reply.status == 413)
            #expect(reply["Access-Control-Allow-Origin"] == "https://a.b")
        }
    }

    @Test func `pages of other origins are preflighted`() async throws {
        try await Self.run { client throws in
            for path in ["/v1/shared", "/v1/none"] {
                let reply = try client.request(
                    "OPTIONS",
                    path,
                    headers: [
                        "Origin: https://app.example", "Access-Control-Request-Method: POST",
                        "Access-Control-Request-Headers: if-match,last-event-id, x-client-version",
                        "Access-Control-Request-Private-Network: true",
                    ]
                )
                #expect(reply.status == 204)
                #expect(reply["Access-Control-Allow-Origin"] == "https://app.example")
                #expect(reply["Access-Control-Allow-Methods"]?.contains("POST") == true)
                #expect(reply["Access-Control-Allow-Headers"] == "if-match,last-event-id, x-client-version")
                #expect(reply["Access-Control-Allow-Private-Network"] == "true")
                #expect(reply["Access-Control-Allow-Credentials"] == nil)
                #expect(reply["Access-Control-Max-Age"] != nil)
            }
            let modest = try client.request(
                "OPTIONS",
                "/v1/shared",
                headers: ["Origin: https://a.b", "Access-Control-Request-Method: POST"]
            )
            #expect(modest["Access-Control-Allow-Private-Network"] == nil)
            #expect(modest["Access-Control-Allow-Headers"] == nil)
        }
    }

    @Test func `find nothing on other routes`() async throws {
        try await Self.run { client throws in
            let asked = ["Origin: https://app.example", "Access-Control-Request-Method: GET"]
            for (method, path, status) in [("OPTIONS", "/hello", 204), ("GET", "/hello", 200), ("GET", "/none", 404)] {
                let reply = try client.request(method, path, headers: asked)
                #expect(reply.status == status)
                #expect(!reply.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
                #expect(reply["Vary"] == nil)
            }
            #expect(try client.request("OPTIONS", "/hello")["Allow"] == "GET, HEAD, OPTIONS")
        }
    }
}
