import Foundation
import HTTPServer
import Synchronization
import Testing

@Suite("A suspended request") struct SuspensionTests {
    @Test func `a suspended request is answered by the handlers that finish, in any order`() async throws {
        let waiting = Mutex<[(String, Resumption)]>([])
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/later/{n}") { request in
                    let number = request.parameters["n"] ?? ""
                    return .suspended { resumption in waiting.withLock { $0.append((number, resumption)) } }
                }
            }
        ) { test throws in
            let clients = try (0..<100).map { _ in try test.connect() }
            for round in 0..<5 {
                for (number, client) in clients.enumerated() {
                    try client.send("GET /later/\(round)-\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                }
                #expect(eventually { waiting.withLock { $0.count } == 100 })
                let shuffled = waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting.shuffled()
                }
                for part in [shuffled[..<30], shuffled[30..<60], shuffled[60...]] {
                    Thread.detachNewThread {
                        for (number, resumption) in part { resumption.resume { .text(number) } }
                    }
                }
                for (number, client) in clients.enumerated() {
                    #expect(try client.reply().text == "\(round)-\(number)")
                }
            }
        }
    }

    @Test func `requests that are completed together are answered once the last one is`() async throws {
        let waiting = Mutex<[Resumption]>([])
        let rendered = Atomic(0)
        try await TestServer.run(
            configure: { $0.threads = 1 },
            routes: { router in
                router.add(.get, "/now") { _ in .response(.text("now")) }
                router.add(.get, "/later") { _ in
                    .suspended { resumption in waiting.withLock { $0.append(resumption) } }
                }
            }
        ) { test throws in
            let clients = try (0..<3).map { _ in try test.connect() }
            for client in clients { try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(eventually { waiting.withLock { $0.count } == 3 })
            let other = try test.connect()
            // The only serving thread answers once it has suspended the requests before.
            #expect(try other.request("GET", "/now").text == "now")
            Resumptions.together {
                for resumption in waiting.withLock({ $0 }) {
                    resumption.resume {
                        rendered.wrappingAdd(1, ordering: .relaxed)
                        return .text("later")
                    }
                }
                // It would answer this request after those that it was woken for.
                #expect((try? other.request("GET", "/now").text) == "now")
                #expect(rendered.load(ordering: .relaxed) == 0)
            }
            for client in clients { #expect(try client.reply().text == "later") }
        }
    }

    @Test func `a suspended request may be finished before it sleeps`() async throws {
        let queue = DispatchQueue(label: "finisher")
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/now") { _ in .suspended { $0.resume { .text("now") } } }
                router.add(.get, "/race") { _ in
                    .suspended { resumption in queue.async { resumption.resume { .text("race") } } }
                }
            }
        ) { test throws in
            let client = try test.connect()
            for _ in 0..<2000 {
                #expect(try client.request("GET", "/now").text == "now")
                #expect(try client.request("GET", "/race").text == "race")
            }
        }
    }

    @Test func `a suspended request is rendered in its connection's thread`() async throws {
        try await TestServer.run(
            configure: { $0.threads = 1 },
            routes: { router in
                router.add(.get, "/threads") { _ in
                    let own = ThreadID.current
                    return .suspended { resumption in
                        Thread.detachNewThread {
                            let other = ThreadID.current
                            resumption.resume { .text("\(own == ThreadID.current) \(own == other)") }
                        }
                    }
                }
            }
        ) { test throws in
            #expect(try test.connect().request("GET", "/threads").text == "true false")
        }
    }

    @Test func `a suspended request that is never resumed answers an error`() async throws {
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/drop") { _ in .suspended { _ in } }
                router.add(.get, "/drop-later") { _ in
                    .suspended { resumption in DispatchQueue.global().async { _ = resumption } }
                }
            }
        ) { test throws in
            let client = try test.connect()
            for _ in 0..<20 {
                #expect(try client.request("GET", "/drop").status == 500)
                #expect(try client.request("GET", "/drop-later").status == 500)
            }
            #expect(try client.request("GET", "/hello").status == 200)
        }
    }

    @Test func `a suspended request is answered once, whatever comes later`() async throws {
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/twice") { _ in
                    .suspended { resumption in
                        for number in 0..<3 { resumption.resume { .text("\(number)") } }
                    }
                }
            }
        ) { test throws in
            let client = try test.connect()
            for _ in 0..<20 { #expect(try client.request("GET", "/twice").text == "0") }
        }
    }

    @Test func `a suspended request may be suspended again`() async throws {
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/steps") { _ in
                    .suspended { first in
                        Thread.detachNewThread {
                            first.proceed {
                                .suspended { second in
                                    Thread.detachNewThread { second.proceed { .async { .text("third") } } }
                                }
                            }
                        }
                    }
                }
            }
        ) { test throws in
            let client = try test.connect()
            for _ in 0..<20 { #expect(try client.request("GET", "/steps").text == "third") }
        }
    }

    @Test func `a suspended request may lose its client`() async throws {
        let waiting = Mutex<[Resumption]>([])
        try await TestServer.run(
            routes: { router in
                router.add(.get, "/gone") { _ in .suspended { resumption in waiting.withLock { $0.append(resumption) } }
                }
            }
        ) { test throws in
            for _ in 0..<20 { try test.connect().send("GET /gone HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(eventually { waiting.withLock { $0.count } == 20 })
            for resumption in waiting.withLock({ $0 }) { resumption.resume { .text("too late") } }
            #expect(eventually { test.server.connectionCount == 0 })
            #expect(try test.connect().request("GET", "/hello").status == 200)
        }
    }

    @Test func `a suspended request may wait for a task`() async throws {
        try await TestServer.run(
            routes: { router in
                router.add(.post, "/task") { request in
                    .async {
                        await Task.yield()
                        return .text("\(request.body.count) \(request.header("X-A") ?? "")")
                    }
                }
            }
        ) { test throws in
            let client = try test.connect()
            for _ in 0..<200 {
                #expect(try client.request("POST", "/task", headers: ["X-A: b"], body: "12345").text == "5 b")
            }
        }
    }
}

/// The identity of the current thread.
enum ThreadID {
    static var current: UInt { UInt(pthread_self()) }
}
