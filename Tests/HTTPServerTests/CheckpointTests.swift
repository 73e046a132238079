import HTTPServer
import Synchronization
import Testing

@Suite("Before a body is read") struct CheckpointTests {
    @Test func `a route may refuse it, however long it is`() async throws {
        try await TestServer.run(
            routes: { router in
                router.add(
                    .post,
                    "/projects/{project}/import",
                    maximumBody: 1 << 20,
                    beforeBody: { request in
                        guard request.header("Authorization") != nil, request.parameters["project"] == "ours" else {
                            throw HTTPError.stopping
                        }
                    }
                ) { request in .response(.text("\(request.body.count)")) }
            }
        ) { test throws in
            let client = try test.connect()
            // No byte of the announced body is ever sent.
            try client.send("POST /projects/ours/import HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
            #expect(try client.reply().status == 503)
            for (target, status) in [("/projects/ours/import", 200), ("/projects/theirs/import", 503)] {
                let reply = try test.connect().request("POST", target, headers: ["Authorization: x"], body: "12345")
                #expect(reply.status == status, "\(target)")
            }
        }
    }

    @Test func `a closed router asks its gate about every request, and keeps routes from web pages`() async throws {
        var open = Router()
        open.add(.get, "/kept/{name}", cors: true) { request in .response(.text(request.parameters["name"] ?? "")) }
        open.add(.get, "/left", cors: true) { _ in .response(.text("left")) }
        let closed = open.closed(
            behind: { request in
                guard request.header("X-Gate") == nil else { throw HTTPError.stopping }
            },
            keeping: { $0.hasPrefix("/kept/") }
        )
        #expect(throws: HTTPError.stopping) {
            _ = try closed.handle(Request(target: "/kept/a", headers: [("X-Gate", "1")]))
        }
        #expect(throws: HTTPError.stopping) {
            _ = try closed.handle(Request(target: "/none", headers: [("X-Gate", "1")]))
        }
        #expect(throws: HTTPError.notFound) { _ = try closed.handle(Request(target: "/left")) }
        guard case .response(let response) = try closed.handle(Request(target: "/kept/a")) else {
            Issue.record("no response")
            return
        }
        #expect(response.body == Array("a".utf8))
        #expect(closed.routes.map(\.pattern) == ["/kept/{name}"])
    }

    @Test func `an alias answers by its own methods, and stands where its route is`() throws {
        var router = Router()
        router.add(.post, "/new", maximumBody: 3) { request in .response(.text(request.method.rawValue)) }
        router.alias("/new", .post, as: [.get, .delete], at: "/old")
        router.alias("/none", .post, as: [.get], at: "/older")
        for method in [Method.get, .delete] {
            guard case .response(let response) = try router.handle(Request(method: method, target: "/old")) else {
                Issue.record("no response")
                return
            }
            #expect(response.body == Array(method.rawValue.utf8))
        }
        #expect(throws: HTTPError.methodNotAllowed([.delete, .get, .head, .options])) {
            _ = try router.handle(Request(method: .post, target: "/old"))
        }
        #expect(throws: HTTPError.notFound) { _ = try router.handle(Request(target: "/older")) }
    }
}
