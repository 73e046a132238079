import Foundation
import HTTPServer
import Synchronization
import Testing

@Suite struct `Stopping` {
    @Test func `under load loses no answer`() async throws {
        let queue = DispatchQueue(label: "worker")
        let asked = Atomic(0)
        let answered = Atomic(0)
        let errors = Log()
        try await TestServer.run(
            routes: { router in
                router.add(.post, "/work") { request in
                    let body = request.body
                    return .suspended { resumption in
                        queue.asyncAfter(deadline: .now() + 0.002) { resumption.resume { .json(body) } }
                    }
                }
            }
        ) { test throws in
            let group = DispatchGroup()
            for _ in 0..<24 {
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    do {
                        let client = try test.connect()
                        while true {
                            asked.add(1, ordering: .relaxed)
                            let reply = try client.request("POST", "/work", body: "x")
                            guard reply.status == 200 else { throw Client.Broken(description: "\(reply.status)") }
                            answered.add(1, ordering: .relaxed)
                            if reply["Connection"]?.lowercased() == "close" { return }
                        }
                    } catch {
                        errors.add("\(error)")
                    }
                }
            }
            usleep(500_000)
            let start = Date()
            test.server.stop(within: .seconds(10))
            #expect(Date().timeIntervalSince(start) < 5 * Double(patience))
            group.wait()
            #expect(errors.lines == [])
            #expect(asked.load(ordering: .relaxed) == answered.load(ordering: .relaxed))
            #expect(answered.load(ordering: .relaxed) > 100 / patience)
            #expect(throws: Client.Broken.self) { try test.connect() }
        }
    }

    @Test func `a stop waits for a running request, not for an idle connection`() async throws {
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/slow") { _ in
                    .suspended { resumption in
                        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { resumption.resume { .text("slow") } }
                    }
                }
            }
        ) { test throws in
            let idle = try test.connect()
            _ = try idle.request("GET", "/hello")
            let client = try test.connect()
            try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            usleep(100_000)
            let start = Date()
            test.server.stop(within: .seconds(20))
            let seconds = Date().timeIntervalSince(start)
            #expect(seconds > 0.5 && seconds < 5)
            let reply = try client.reply()
            #expect(reply.text == "slow")
            #expect(reply["Connection"]?.lowercased() == "close")
            #expect(try idle.isAtEnd())
        }
    }

    @Test func `answers a client that connected before and sends its request a second later`() async throws {
        try await TestServer.run(routes: { $0.add(.get, "/text") { _ in .response(.text("late")) } }) { test throws in
            let client = try test.connect()
            let stopped = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                test.server.stop(within: .seconds(10))
                stopped.signal()
            }
            usleep(1_000_000)
            #expect(try client.request("GET", "/text").text == "late")
            #expect(stopped.wait(timeout: .now() + 5) == .success)
        }
    }

    @Test func `answers for those who never finish`() async throws {
        let forever = Mutex<[Resumption]>([])
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/never") { _ in
                    .suspended { resumption in forever.withLock { $0.append(resumption) } }
                }
            }
        ) { test throws in
            let clients = try (0..<20).map { _ in try test.connect() }
            for client in clients { try client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(eventually { forever.withLock { $0.count } == 20 })
            test.server.stop(within: .milliseconds(200))
            for client in clients { #expect(try client.reply().status == 503) }
            // Their answers come when no client is left to receive them.
            for resumption in forever.withLock({ $0 }) { resumption.resume { .text("late") } }
        }
    }

    @Test func `asks streams to end`() async throws {
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/polite") { _ in
                    .stream(Response()) { writer in
                        writer.whenStopping {
                            writer.write(Array("bye".utf8))
                            writer.finish()
                        }
                    }
                }
                router.add(.get, "/plain") { _ in .stream(Response()) { Writers.shared.add($0) } }
                router.add(.get, "/stubborn") { _ in
                    .stream(Response()) { writer in writer.whenStopping { writer.write(Array("no".utf8)) } }
                }
            }
        ) { test throws in
            let clients = try ["/polite", "/plain", "/stubborn"].map { path in
                let client = try test.connect()
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.head()
                return client
            }
            test.server.stop(within: .seconds(1))
            #expect(try clients[0].chunk() == Array("bye".utf8))
            #expect(try clients[0].chunk() == nil)
            #expect(try clients[1].chunk() == nil)
            #expect(try clients[2].chunk() == Array("no".utf8))
            #expect(try clients[2].isAtEnd())
        }
    }

    @Test func `again and again under load never ends the process`() async throws {
        for _ in 0..<30 {
            try await TestServer.run { test throws in
                let group = DispatchGroup()
                for _ in 0..<4 {
                    group.enter()
                    Thread.detachNewThread {
                        defer { group.leave() }
                        // New connections all the time, until they are refused.
                        while let client = try? test.connect(), (try? client.request("GET", "/hello")) != nil {}
                    }
                }
                usleep(20_000)
                test.server.stop(within: .seconds(2))
                group.wait()
            }
        }
    }

    @Test func `twice, at once, and without patience is harmless`() async throws {
        for _ in 0..<10 {
            try await TestServer.run(
                routes: { router in
                    router.add(.get, "/soon") { _ in
                        .suspended { resumption in
                            DispatchQueue.global().async { resumption.resume { .text("soon") } }
                        }
                    }
                }
            ) { test throws in
                let clients = try (0..<20).map { _ in try test.connect() }
                for client in clients { try client.send("GET /soon HTTP/1.1\r\nHost: a\r\n\r\n") }
                let group = DispatchGroup()
                for _ in 0..<3 {
                    DispatchQueue.global().async(group: group) { test.server.stop(within: .zero) }
                }
                group.wait()
                test.server.stop(within: .seconds(1))
            }
        }
    }

    @Test func `and starting again on the same port works`() async throws {
        let used = Mutex<UInt16>(0)
        try await TestServer.run { test throws in
            _ = try test.connect().request("GET", "/hello")
            used.withLock { $0 = test.port }
        }
        try await TestServer.run(listen: "127.0.0.1:\(used.withLock { $0 })") { test throws in
            #expect(try test.connect().request("GET", "/hello").text == "hello")
        }
    }

    @Test func `a server that cannot start needs no stop`() async throws {
        try await TestServer.run { test throws in
            let address = try #require(ListenAddress("127.0.0.1:\(test.port)"))
            let server = Server(
                configuration: HTTPConfiguration(listen: address),
                router: Router(),
                errorResponse: { _, _ in Response(status: 500) }
            )
            let error = #expect(throws: ServerStartError.self) { try server.start() }
            #expect(error?.description.contains("127.0.0.1:\(test.port)") == true)
        }
    }
}

extension Writers {
    /// Keeps writers that are not used.
    static let shared = Writers()
}
