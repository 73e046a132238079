import LatchkeyClient
import Testing

@Suite("Transports over URLSession", .timeLimit(.minutes(1))) struct TransportTests {
    #if canImport(Darwin)
        private let transport = URLSessionTransport()
    #else
        private let transport = TestTransport()
    #endif

    private static func request(to server: ScriptedServer) -> TransportRequest {
        TransportRequest(method: "GET", url: server.url, headers: [], body: [], timeout: .seconds(1))
    }

    @Test func `an answer that keeps arriving ends at the time limit of the whole exchange`() async throws {
        let server = try ScriptedServer { _ in .events([.drip(lines: 200)]) }
        let elapsed = await ContinuousClock().measure {
            await #expect(throws: TransportFailure.self) { try await transport.send(Self.request(to: server)) }
        }
        #expect(elapsed >= .seconds(1))
        #expect(elapsed < .seconds(15), "200 lines take 20 seconds")
    }

    @Test func `an answer that is complete in time is returned`() async throws {
        let server = try ScriptedServer { _ in .events([.drip(lines: 2)]) }
        #expect(try await transport.send(Self.request(to: server)).body == Array(":\n:\n".utf8))
    }

    @Test func `a stream goes on as long as bytes keep arriving`() async throws {
        let server = try ScriptedServer { _ in .events([.drip(lines: 25)]) }
        let stream = try await transport.stream(Self.request(to: server))
        var body: [UInt8] = []
        for try await bytes in stream.body { body += bytes }
        #expect(body.count == 50)
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
}
