import HTTPServer
import Network
import Testing

@Suite("The router") struct RouterTests {
    private static func router() -> Router {
        var router = Router()
        func add(_ method: Method, _ pattern: String) {
            router.add(method, pattern) { request in
                let parameters = request.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                return .response(.text("\(method) \(pattern) \(parameters.joined(separator: ","))"))
            }
        }
        add(.post, "/v1/accounts:signUp")
        add(.get, "/v1/names/{name}")
        add(.get, "/v1/names/mine")
        add(.post, "/v1/tenants/{tenant}:clear")
        add(.get, "/v1/tenants/{tenant}")
        add(.post, "/v1/projects/{p}/accounts:lookup")
        add(.get, "/v1/documents/{collection}/{id}")
        add(.delete, "/v1/documents/{collection}/{id}")
        add(.get, "/")
        return router
    }

    private static func text(_ method: Method, _ target: String) throws -> String {
        guard case .response(let response) = try router().handle(Request(method: method, target: target)) else {
            return ""
        }
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test(arguments: [
        (Method.post, "/v1/accounts:signUp?key=1", "POST /v1/accounts:signUp "),
        (.post, "/v1/accounts%3AsignUp", "POST /v1/accounts:signUp "),
        (.get, "/v1/names/ann", "GET /v1/names/{name} name=ann"),
        (.get, "/v1/names/mine", "GET /v1/names/mine "),
        (.get, "/v1/names/a%2Fb%20c", "GET /v1/names/{name} name=a/b c"),
        (.get, "/v1/names/%C3%A4", "GET /v1/names/{name} name=ä"),
        (.get, "/v1/names/a+b", "GET /v1/names/{name} name=a+b"),
        (.head, "/v1/names/ann", "GET /v1/names/{name} name=ann"),
        (.post, "/v1/tenants/t1:clear", "POST /v1/tenants/{tenant}:clear tenant=t1"),
        (.get, "/v1/tenants/t1:other", "GET /v1/tenants/{tenant} tenant=t1:other"),
        (.post, "/v1/projects/demo/accounts:lookup", "POST /v1/projects/{p}/accounts:lookup p=demo"),
        (.delete, "/v1/documents/a/b", "DELETE /v1/documents/{collection}/{id} collection=a,id=b"),
        (.get, "/", "GET / "),
    ])
    func `finds what answers`(method: Method, target: String, expected: String) throws {
        #expect(try Self.text(method, target) == expected)
    }

    @Test(arguments: [
        "/v1", "/v1/names/", "/v1/names", "/v1/names/a/b", "/v1/names/ann/", "//v1/names/ann", "/V1/names/ann",
        "/v1/accounts",
    ])
    func `knows nothing at other paths`(target: String) {
        #expect(throws: HTTPError.notFound) { try Self.text(.get, target) }
    }

    @Test(arguments: [
        (Method.get, "/v1/accounts:signUp", "OPTIONS, POST"), (.put, "/v1/names/ann", "GET, HEAD, OPTIONS"),
        (.patch, "/v1/documents/a/b", "DELETE, GET, HEAD, OPTIONS"),
        (Method(rawValue: "BREW"), "/", "GET, HEAD, OPTIONS"),
    ])
    func `tells which methods a path knows`(method: Method, target: String, allowed: String) {
        let error = #expect(throws: HTTPError.self) { try Self.text(method, target) }
        #expect(error?.status == 405)
        #expect(error?.allowedMethods.map(\.rawValue).joined(separator: ", ") == allowed)
    }

    @Test(arguments: [
        "/v1/names/%", "/v1/names/%4", "/v1/names/%zz", "/v1/names/%ff", "/v1/names/%00", "/v1/names/%C0%AF",
    ])
    func `refuses broken escapes`(target: String) {
        let error = #expect(throws: HTTPError.self) { try Self.text(.get, target) }
        #expect(error?.status == 400)
    }

    @Test func `lets a fallback answer unknown paths`() throws {
        var router = Self.router()
        router.setFallback { .response(.text(status: 404, "nothing at \($0.path)")) }
        guard case .response(let response) = try router.handle(Request(target: "/none")) else { return }
        #expect(response.body == Array("nothing at /none".utf8))
    }
}

@Suite("A request") struct RequestTests {
    @Test(arguments: [
        ("a=1&b=2", "b", "2"), ("a=%C3%A4+b", "a", "ä b"), ("a", "a", ""), ("a=&a=2", "a", ""), ("a=1=2", "a", "1=2"),
        ("b=1", "a", nil), ("a=%zz", "a", nil), ("", "a", nil), ("%61=x", "a", "x"), ("a=%00", "a", nil),
    ])
    func `the router gives its query's values`(query: String, name: String, expected: String?) {
        #expect(Request(target: "/x?\(query)").queryValue(name) == expected)
    }

    @Test func `the router gives header fields whatever their case`() {
        let request = Request(target: "/", headers: [("X-One", "1"), ("x-one", "2"), ("Host", "a.example")])
        #expect(request.header("x-ONE") == "1")
        #expect(request.headers("X-One") == ["1", "2"])
        #expect(request.header("X-Two") == nil)
        #expect(request.host == "a.example")
    }

    @Test func `knows its client behind a trusted proxy`() throws {
        let request = Request(
            target: "/",
            headers: [("X-Forwarded-For", "192.0.2.66"), ("X-Forwarded-For", "198.51.100.1, 10.0.0.2")],
            remoteAddress: try #require(IPAddress("10.0.0.1")),
            trustedProxies: [try #require(AddressRange("10.0.0.0/8"))]
        )
        #expect(request.clientAddress.description == "198.51.100.1")
    }
}
