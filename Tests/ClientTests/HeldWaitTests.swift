import Synchronization
import Testing

@testable import LatchkeyClient

@Suite("Waiting in held calls", .timeLimit(.minutes(2))) struct HeldWaitTests {
    private static let pending = ScriptedServer.Reply.json(#"{"kind":"k","pending":true}"#)

    /// The calls of a server for the ticket, in order.
    private func calls(_ server: ScriptedServer) -> [ScriptedServer.Request] {
        server.requests(for: ":signInWithTicket")
    }

    /// Whether a call asked to be held for 25 seconds.
    private func waits(_ call: ScriptedServer.Request) -> Bool { call.text.contains("\"wait\":25") }

    @Test func `waiting asks the server to hold each call, and asks again at once`() async throws {
        let server = try TicketTests().server { number, _ in
            number < 1 ? .late(.seconds(13), Self.pending) : TicketTests.approved
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let result = try await auth.waitForApproval(of: "t1", every: .seconds(600))
        #expect(result.isLinked && result.user.email == "a@b.c")
        #expect(calls(server).count == 2 && calls(server).allSatisfy(waits))
    }

    @Test func `the transport's time limit leaves room for the wait`() async throws {
        let transport = RecordingTransport(status: 400, #"{"error":{"code":400,"message":"TICKET_ENDED"}}"#)
        let configuration = try Auth.Configuration(server: "https://a.example", requestTimeout: .seconds(10))
        let auth = try Auth(configuration: configuration, transport: transport, store: MemorySessionStore())
        for timeout in [nil, Duration.milliseconds(8500)] {
            let error = await code { try await auth.waitForApproval(of: "t1", timeout: timeout) }
            #expect(error == .ticketEnded)
        }
        _ = await code { try await auth.collect("t1") }
        let timeouts = transport.timeouts
        try #require(timeouts.count == 3)
        #expect(timeouts[0] == .seconds(35) && timeouts[2] == .seconds(10))
        // 10 s more than the whole seconds that are left. On a slow machine some of the 8.5 s have passed.
        #expect(timeouts[1] >= .seconds(15) && timeouts[1] <= .seconds(18), "\(timeouts[1])")
    }

    @Test func `a Retry-After is obeyed, and an answer without a wait does not make a busy loop`() async throws {
        let server = try TicketTests().server { number, _ in
            switch number {
            case 0: .json(#"{"kind":"k","pending":true}"#, headers: ["Retry-After": "1"])
            case 1: Self.pending
            default: TicketTests.approved
            }
        }
        let auth = try makeAuth(server.url)
        let start = ContinuousClock.now
        try await auth.waitForApproval(of: "t1", every: .milliseconds(500))
        #expect(ContinuousClock.now - start >= .milliseconds(1500))
        #expect(calls(server).count == 3 && calls(server).allSatisfy(waits))
    }

    @Test func `a server that answers TICKET_PENDING is polled`() async throws {
        let server = try TicketTests().server { number, _ in
            number < 4 ? .error("TICKET_PENDING") : TicketTests.approved
        }
        let auth = try makeAuth(server.url)
        try await auth.waitForApproval(of: "t1", every: .milliseconds(10))
        #expect(calls(server).map(waits) == [true, false, false, false, false])
    }

    /// They still wait, because only a call that waits may repeat one whose answer was lost.
    @Test func `where long waits are lost, the client makes short ones after three`() async throws {
        let server = try TicketTests().server { number, _ in number < 4 ? .lost : TicketTests.approved }
        let auth = try makeAuth(server.url)
        try await auth.waitForApproval(of: "t1", every: .milliseconds(10))
        #expect(calls(server).map(waits) == [true, true, true, false, false])
        #expect(calls(server).suffix(2).allSatisfy { $0.text.contains("\"wait\":1}") })
    }

    @Test func `other calls run while the server holds one`() async throws {
        let gate = ScriptedServer.Gate()
        let server = try TicketTests().server { _, _ in .after(gate, TicketTests.approved) }
        let auth = try makeAuth(server.url)
        async let result = auth.waitForApproval(of: "t1")
        while calls(server).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        let start = ContinuousClock.now
        try await auth.signInAnonymously()
        #expect(auth.currentUser?.isAnonymous == true && ContinuousClock.now - start < .seconds(16))
        gate.open()
        #expect(try await result.user.email == "a@b.c")
        #expect(auth.currentUser?.isAnonymous == false)
    }

    @Test func `cancelling ends the wait at once, while the server still holds the call`() async throws {
        let gate = ScriptedServer.Gate()
        let server = try TicketTests().server { _, _ in .after(gate, TicketTests.approved) }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let waiting = Task { await code { try await auth.waitForApproval(of: "t1") } }
        while calls(server).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        let start = ContinuousClock.now
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(15), "the server holds the call for 20 seconds")
        gate.open()
        #expect(auth.currentUser?.isAnonymous == true)
    }

    @Test func `cancelling ends the wait at once, even with a transport that does not notice`() async throws {
        let configuration = try Auth.Configuration(server: "https://a.example")
        let auth = try Auth(configuration: configuration, transport: DeafTransport(), store: MemorySessionStore())
        let waiting = Task { await code { try await auth.waitForApproval(of: "t1") } }
        try await Task.sleep(for: .milliseconds(200))
        let start = ContinuousClock.now
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `a conflict carries the ticket as its credential`() async throws {
        let server = try TicketTests().server { _, _ in .error("EMAIL_EXISTS") }
        let auth = try makeAuth(server.url)
        do {
            try await auth.waitForApproval(of: "t1")
            Issue.record("a conflict signed in")
        } catch {
            #expect(error.code == .emailAlreadyInUse && error.credential == .ticket("t1"))
        }
    }
}

/// A transport that gives one answer to all requests, and records their time limits.
private final class RecordingTransport: Transport {
    private let response: TransportResponse
    private let asked = Mutex<[Duration]>([])

    init(status: Int, _ text: String) {
        response = TransportResponse(status: status, headers: [], body: Array(text.utf8))
    }

    var timeouts: [Duration] { asked.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        asked.withLock { $0.append(request.timeout) }
        return response
    }
}

/// A transport that answers nothing for thirty seconds, whether or not its task is cancelled.
private struct DeafTransport: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        await Task { try? await Task.sleep(for: .seconds(30)) }.value
        throw TransportFailure("no answer")
    }
}
