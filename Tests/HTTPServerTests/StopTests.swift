import Foundation
import HTTPServer
import Synchronization
import Testing

@Suite("Stopping") struct StopTests {
    @Test func `under load loses no answer`() async throws {
        let queue = DispatchQueue(label: "worker")
        let asked = Atomic(0)
        let answered = Atomic(0)
        let ready = Atomic(0)
        let excused = Atomic(0)
        let errors = Log()
        try await TestServer.run(
            // An address of its own, because the server of another test may get the port as soon as it is free.
            listen: "127.0.0.3:0",
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
                    var lastSent: Date?
                    var silence = 0.0
                    do {
                        let client = try test.connect()
                        while true {
                            let now = Date()
                            silence = lastSent.map { now.timeIntervalSince($0) } ?? 0
                            asked.add(1, ordering: .relaxed)
                            let reply = try client.request("POST", "/work", body: "x")
                            guard reply.status == 200 else { throw Client.Broken(description: "\(reply.status)") }
                            answered.add(1, ordering: .relaxed)
                            if lastSent == nil { ready.add(1, ordering: .relaxed) }
                            lastSent = now
                            if reply["Connection"]?.lowercased() == "close" { return }
                        }
                    } catch {
                        // A stopping server closes a connection that was silent for 0.3 s (`Server.drain`), less the
                        // millisecond to which the server rounds. On a slow machine a client of this test may be so late.
                        if silence >= 0.299 {
                            excused.add(1, ordering: .relaxed)
                        } else {
                            errors.add("\(error), \(silence) s after the request before")
                        }
                    }
                }
            }
            // Every client has its connection by then, so that none may be refused.
            #expect(
                eventually(within: 60) {
                    ready.load(ordering: .relaxed) == 24 && answered.load(ordering: .relaxed) > 100
                }
            )
            let start = Date()
            test.server.stop(within: .seconds(60))
            #expect(Date().timeIntervalSince(start) < 15 * Double(patience))
            group.wait()
            #expect(errors.lines == [])
            let settled = answered.load(ordering: .relaxed) + excused.load(ordering: .relaxed)
            #expect(asked.load(ordering: .relaxed) == settled)
            #expect(throws: Client.Broken.self) { try test.connect() }
        }
    }

    @Test func `a stop waits for a running request, not for an idle connection`() async throws {
        let hasBegun = Atomic(false), isAnswered = Atomic(false)
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/slow") { _ in
                    .suspended { resumption in
                        hasBegun.store(true, ordering: .relaxed)
                        DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
                            isAnswered.store(true, ordering: .relaxed)
                            resumption.resume { .text("slow") }
                        }
                    }
                }
            }
        ) { test throws in
            let idle = try test.connect()
            _ = try idle.request("GET", "/hello")
            let client = try test.connect()
            try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(eventually { hasBegun.load(ordering: .relaxed) })
            let start = Date()
            test.server.stop(within: .seconds(40))
            let hasWaited = isAnswered.load(ordering: .relaxed)
            #expect(hasWaited)
            #expect(Date().timeIntervalSince(start) < 20)
            let reply = try client.reply()
            #expect(reply.text == "slow")
            #expect(reply["Connection"]?.lowercased() == "close")
            #expect(try idle.isAtEnd())
        }
    }

    @Test func `answers a client that connected before and sends its request a second later`() async throws {
        let isAnswered = Atomic(false)
        var attempts = 0
        while !isAnswered.load(ordering: .relaxed), attempts < 5 {
            attempts += 1
            try await TestServer.run(
                routes: { $0.add(.get, "/text") { _ in .response(.text("late")) } }
            ) { test throws in
                let begun = Date()
                let client = try test.connect()
                #expect(eventually { test.server.connectionCount == 1 })
                let stopped = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    test.server.stop(within: .seconds(60))
                    stopped.signal()
                }
                usleep(1_000_000)
                let answer = try? client.request("GET", "/text").text
                // The server waits for 2 s. On a slow machine the request may come later than that, so it is repeated.
                if answer == "late" {
                    isAnswered.store(true, ordering: .relaxed)
                } else {
                    #expect(Date().timeIntervalSince(begun) > 1.9, "\(answer ?? "no answer")")
                }
                #expect(stopped.wait(timeout: .now() + 20) == .success)
            }
        }
        let isDone = isAnswered.load(ordering: .relaxed)
        #expect(isDone)
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
            test.server.stop(within: .seconds(5))
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
