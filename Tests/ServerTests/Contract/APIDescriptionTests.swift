import HTTPServer
import JSON
import Server
import Testing

@Suite("Description of the API")
struct APIDescriptionTests {
    private static let verbs = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    /// Returns method and path of each described operation, at each of its servers, and of known operations that are
    /// not built.
    private static func operations(_ description: JSONValue) throws -> Set<String> {
        var operations: Set<String> = []
        func add(_ method: String, _ path: String, at servers: JSONValue?) throws {
            for server in try #require(servers?.array) {
                let url = try #require(server["url"]?.string)
                operations.insert("\(method) \(url == "/" ? "" : url)\(path)")
            }
        }
        for (path, item) in try #require(description["paths"]?.object).members {
            let servers = item["servers"] ?? description["servers"]
            let described = verbs.filter { item[$0] != nil }
            let answered = item["x-any-method"] == nil ? described : ["get", "post", "put", "patch", "delete"]
            for verb in answered { try add(verb.uppercased(), path, at: servers) }
        }
        for part in try #require(description["x-not-built"]?.array) {
            for call in try #require(part["calls"]?.array).compactMap(\.string) {
                let words = call.split(separator: " ").map(String.init)
                try #require(words.count == 2)
                try add(words[0], words[1], at: part["servers"])
            }
        }
        return operations
    }

    private static func compare(_ server: TestServer) throws {
        let answer = try server.send("GET", "/openapi.json")
        #expect(answer.status == 200)
        let described = try operations(answer.json)
        // The console's paths are pages for people alone; docs/console.md lists them.
        let routes = server.instance.routes.filter { !$0.pattern.hasPrefix("/console") }
        let answered = Set(routes.map { "\($0.method) \($0.pattern)" })
        for route in answered.subtracting(described).sorted() { Issue.record("not described: \(route)") }
        for route in described.subtracting(answered).sorted() { Issue.record("described, but not answered: \(route)") }
    }

    @Test func `in development the description has every route, and no other`() async throws {
        try await TestServer.run { server in
            try Self.compare(server)
            #expect(try server.send("GET", "/emulator/openapi.json").json["openapi"] == "3.1.0")
        }
    }

    @Test func `in production the description has every route, and no other`() async throws {
        try await TestServer.runInProduction { server in
            try Self.compare(server)
            #expect(try server.send("GET", "/emulator/openapi.json").status == 404)
        }
    }

    @Test func `every reference in it leads somewhere, and everything it defines is used`() throws {
        let document = try #require(APIDescription(mode: .development)).document
        var references: Set<String> = []
        func collect(_ value: JSONValue) {
            for element in value.array ?? [] { collect(element) }
            for (name, member) in value.object?.members ?? [] {
                if name == "$ref", let reference = member.string {
                    references.insert(reference)
                } else {
                    collect(member)
                }
            }
        }
        collect(document)
        var defined: Set<String> = []
        for kind in ["schemas", "responses", "parameters"] {
            for (name, _) in document["components"]?[kind]?.object?.members ?? [] {
                defined.insert("#/components/\(kind)/\(name)")
            }
        }
        #expect(references.subtracting(defined).isEmpty)
        #expect(defined.subtracting(references).isEmpty)
    }

    @Test func `web pages may read it`() async throws {
        try await TestServer.run { server in
            let answer = try server.send("GET", "/openapi.json", headers: ["Origin: https://app.example.com"])
            #expect(answer.header("access-control-allow-origin") == "https://app.example.com")
            #expect(answer.header("content-type")?.hasPrefix("application/json") == true)
        }
    }
}
