import HTTPServer
import Synchronization
import Testing

@Suite("A conversation") struct ConversationTests {
    @Test func `a conversation goes on over one connection`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            for number in 0..<50 {
                let reply = try client.request("POST", "/echo", body: "body \(number)")
                #expect(reply.status == 200)
                #expect(reply.text == "body \(number)")
            }
            #expect(test.server.connectionCount == 1)
        }
    }

    @Test func `a conversation ends when the client says so`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            let reply = try client.request("GET", "/hello", headers: ["Connection: close"])
            #expect(reply.text == "hello")
            #expect(reply["Connection"]?.lowercased() == "close")
            #expect(try client.isAtEnd())
        }
    }

    @Test func `a conversation by HTTP 1_0 works`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            try client.send("GET /hello HTTP/1.0\r\nHost: x\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.text == "hello")
            #expect(try client.isAtEnd())
        }
    }

    @Test func `answers pipelined requests in order`() async throws {
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/n/{n}") { request in
                    let number = request.parameters["n"] ?? ""
                    guard number.hasSuffix("3") else { return .response(.text(number)) }
                    return .suspended { resumption in
                        Task { resumption.resume { .text(number) } }
                    }
                }
            }
        ) { test throws in
            let client = try test.connect()
            try client.send((0..<40).map { "GET /n/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            for number in 0..<40 { #expect(try client.reply().text == "\(number)") }
        }
    }

    @Test func `sends head and body in one packet`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            for count in 1...5 {
                _ = try client.request("GET", "/hello")
                #expect(client.dataPackets() == UInt32(count))
            }
        }
    }

    @Test func `says the date and the length`() async throws {
        try await TestServer.run { test throws in
            let reply = try test.connect().request("GET", "/hello")
            #expect(reply["Content-Length"] == "5")
            #expect(reply["Date"]?.hasSuffix(" GMT") == true)
            #expect(reply.all("Date").count == 1)
        }
    }

    @Test func `answers HEAD as GET without its body`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            let reply = try client.request("HEAD", "/hello")
            #expect(reply.status == 200)
            #expect(reply["Content-Length"] == "5")
            #expect(try client.request("GET", "/hello").text == "hello")
        }
    }

    @Test func `hands over all that a request says`() async throws {
        let seen = Log()
        try await TestServer.run(
            routes: { router in
                router.add(.put, "/v1/{name}") { request in
                    seen.add("\(request.method) \(request.path) \(request.query) \(request.parameters) \(request.host)")
                    seen.add("\(request.remoteAddress) \(request.header("X-A") ?? "-") \(request.header("X-B") ?? "-")")
                    seen.add(request.headers("X-A").joined(separator: "|"))
                    seen.add(String(decoding: request.body, as: UTF8.self))
                    return .response(Response(status: 204))
                }
            }
        ) { test throws in
            let reply = try test.connect()
                .request("PUT", "/v1/a%20b?x=%3D&y", headers: ["x-a: 1", "X-A: 2", "X-B:"], body: "the body")
            #expect(reply.status == 204)
        }
        #expect(
            seen.lines == [
                #"PUT /v1/a%20b x=%3D&y ["name": "a b"] localhost"#, "127.0.0.1 1 ", "1|2", "the body",
            ]
        )
    }

    @Test func `a conversation takes a chunked body`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            try client.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            try client.send("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n")
            #expect(try client.reply().text == "hello world")
            #expect(try client.request("GET", "/hello").text == "hello")
        }
    }

    @Test func `invites a body that waits to be invited`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            try client.send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try client.reply().status == 100)
            try client.send("ok")
            #expect(try client.reply().text == "ok")
        }
    }

    @Test func `a conversation takes a request target in absolute form`() async throws {
        let hosts = Log()
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/host") { request in
                    hosts.add(request.host)
                    return .response(.text("ok"))
                }
            }
        ) { test throws in
            let reply = try test.connect().request("GET", "http://other.example:81/host?x=1")
            #expect(reply.status == 200)
        }
        #expect(hosts.lines == ["other.example:81"])
    }

    @Test func `refuses unknown paths and methods and goes on`() async throws {
        try await TestServer.run { test throws in
            let client = try test.connect()
            let missing = try client.request("POST", "/nothing", body: "x")
            #expect(missing.status == 404)
            #expect(missing.text == #"{"error":"NOT_FOUND"}"#)
            let wrong = try client.request("DELETE", "/hello")
            #expect(wrong.status == 405)
            #expect(wrong["Allow"] == "GET, HEAD, OPTIONS")
            #expect(try client.request("GET", "/hello").status == 200)
        }
    }

    @Test func `a conversation survives a handler that throws`() async throws {
        struct Oops: Error {}
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/throws") { _ in throw Oops() }
                router.add(.get, "/render") { _ in .suspended { $0.resume { throw Oops() } } }
                router.add(.get, "/async") { _ in .async { throw Oops() } }
                router.add(.get, "/header") { _ in .response(Response(headers: [("X-Bad", "a\r\nSet-Cookie: b=c")])) }
                router.add(.get, "/status") { _ in .response(Response(status: 42)) }
            }
        ) { test throws in
            let client = try test.connect()
            for path in ["/throws", "/render", "/async", "/header", "/status"] {
                let reply = try client.request("GET", path)
                #expect(reply.status == 500, "\(path)")
                #expect(reply.text == #"{"error":"INTERNAL_ERROR"}"#, "\(path)")
                #expect(reply["Set-Cookie"] == nil)
            }
            #expect(try client.request("GET", "/hello").status == 200)
            #expect(test.reported.filter { $0.hasPrefix("handlerFailed") }.count == 3)
            #expect(test.reported.filter { $0.hasPrefix("responseRefused") }.count == 2)
        }
    }

    @Test func `a conversation keeps a request that outlives it`() async throws {
        let kept = Kept()
        try await TestServer.run(
            routes: { router in
                router.add(.post, "/keep") { request in
                    kept.set(request)
                    return .response(.text("ok"))
                }
            }
        ) { test throws in
            _ = try test.connect().request("POST", "/keep?q=1", headers: ["X-Kept: yes"], body: "body")
            #expect(eventually { test.server.connectionCount == 0 })
        }
        let request = try #require(kept.request)
        #expect(request.header("x-kept") == "yes")
        #expect(request.host == "localhost")
        #expect(request.query == "q=1")
    }

    @Test func `sends a constant answer again and again`() async throws {
        let constant = Response.json(Array("{}".utf8)).prepared()
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/constant") { _ in .response(constant) }
                router.add(.get, "/shared", cors: true) { _ in .response(constant) }
                router.add(.get, "/changed") { _ in
                    var response = constant
                    response.status = 201
                    response.headers.append(("X-New", "1"))
                    return .response(response)
                }
            }
        ) { test throws in
            let client = try test.connect()
            for _ in 0..<3 {
                #expect(try client.request("GET", "/constant")["Vary"] == nil)
                #expect(try client.request("GET", "/shared")["Vary"] == "Origin")
                let shared = try client.request("GET", "/shared", headers: ["Origin: https://a.example"])
                #expect(shared["Access-Control-Allow-Origin"] == "https://a.example")
                let changed = try client.request("GET", "/changed")
                #expect(changed.status == 201)
                #expect(changed["X-New"] == "1")
                #expect(changed.text == "{}")
            }
        }
    }

    @Test func `works over IPv6`() async throws {
        try await TestServer.run(listen: "[::1]:0") { test throws in
            #expect(try Client(port: test.port, host: "::1").request("GET", "/hello").text == "hello")
        }
    }

    @Test func `a conversation takes a body of the limit's length with many others at once`() async throws {
        try await TestServer.run(configure: { $0.maximumBody = 300_000 }) { test throws in
            let body = String(repeating: "0123456789", count: 30_000)
            for _ in 0..<5 {
                let reply = try test.connect().request("POST", "/echo", body: body)
                #expect(reply["X-Length"] == "300000")
                #expect(reply.text == body)
            }
        }
    }
}

/// Keeps a request beyond the life of its connection.
final class Kept: Sendable {
    private let state = Mutex<Request?>(nil)

    func set(_ request: Request) {
        state.withLock { $0 = request }
    }

    var request: Request? { state.withLock(\.self) }
}
