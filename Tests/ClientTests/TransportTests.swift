import LatchkeyApp
import LatchkeyClient
import Testing

@Suite("Transports over URLSession", .timeLimit(.minutes(1))) struct TransportTests {
    private let transport = URLSessionTransport()

    private static func request(to server: ScriptedServer, timeout: Duration = .seconds(15)) -> TransportRequest {
        TransportRequest(method: "GET", url: server.url, headers: [], body: [], timeout: timeout)
    }

    @Test func `an answer that keeps arriving ends at the time limit of the whole exchange`() async throws {
        let server = try ScriptedServer { _ in .events([.drip(lines: 200)]) }
        let elapsed = await ContinuousClock().measure {
            await #expect(throws: TransportFailure.self) {
                try await transport.send(Self.request(to: server, timeout: .seconds(1)))
            }
        }
        #expect(elapsed >= .seconds(1))
        #expect(elapsed < .seconds(15), "200 lines take 20 seconds")
    }

    @Test func `an answer that is complete in time is returned`() async throws {
        let server = try ScriptedServer { _ in .events([.drip(lines: 2)]) }
        #expect(try await transport.send(Self.request(to: server)).body == Array(":\n:\n".utf8))
    }

    @Test func `a stream goes on as long as bytes keep arriving`() async throws {
        let server = try ScriptedServer { _ in .events([.drip(lines: 60)]) }
        let stream = try await transport.stream(Self.request(to: server, timeout: .seconds(5)))
        var body: [UInt8] = []
        for try await bytes in stream.body { body += bytes }
        #expect(body.count == 120)
    }

    @Test func `a cancelled caller does not wait for the time limit`() async throws {
        let server = try ScriptedServer { _ in .events([.hold]) }
        let sending = Task { [transport] in
            var request = Self.request(to: server)
            request.timeout = .seconds(50)
            return try await transport.send(request)
        }
        try await server.received("GET")
        sending.cancel()
        let error = await #expect(throws: (any Error).self) { try await sending.value }
        #expect(!(error is TransportFailure))
    }

    @Test func `a redirect is the answer, and is not followed`() async throws {
        let server = try ScriptedServer { request in
            request.path == "/elsewhere"
                ? .json("{}") : .json("{}", status: 302, headers: ["Location": "/elsewhere"])
        }
        let answer = try await transport.send(Self.request(to: server))
        #expect(answer.status == 302)
        #expect(answer.header("location") == "/elsewhere")
        #expect(server.requests.count == 1)
    }

    @Test func `a reader that stops early closes the connection`() async throws {
        let server = try ScriptedServer { _ in .events([":\n", .hold]) }
        let elapsed = try await ContinuousClock().measure {
            try await readFirstPiece(of: server)
            try await server.answered(1)
        }
        #expect(elapsed < .seconds(15), "the server holds the connection for 20 seconds")
    }

    private func readFirstPiece(of server: ScriptedServer) async throws {
        var request = Self.request(to: server)
        request.timeout = .seconds(50)
        for try await _ in try await transport.stream(request).body { break }
    }

    @Test func `several requests share a transport at a time`() async throws {
        let server = try ScriptedServer { request in .json("{\"path\":\"\(request.path)\"}") }
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<20 {
                group.addTask { [transport] in
                    var request = Self.request(to: server)
                    request.url += "/\(number)"
                    request.timeout = .seconds(30)
                    return String(decoding: try await transport.send(request).body, as: UTF8.self)
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(bodies == Set((0..<20).map { "{\"path\":\"/\($0)\"}" }))
    }

    @Test func `where no server listens, there is an error`() async throws {
        let request = TransportRequest(
            method: "GET",
            url: "http://127.0.0.1:1/",
            headers: [],
            body: [],
            timeout: .seconds(10)
        )
        await #expect(throws: (any Error).self) { try await transport.send(request) }
        await #expect(throws: (any Error).self) { try await transport.stream(request) }
    }
}
