import LatchkeyApp
import Synchronization
import Testing

@testable import LatchkeyClient

@Suite("Listening", .timeLimit(.minutes(2))) struct ListenTests {
    static let number = DocumentPath("favourites", "number")

    /// Starts a server with a guest u1 whose streams answer one after the other.
    func server(
        refresh: ScriptedServer.Reply = .error("TOKEN_EXPIRED"),
        _ streams: ScriptedServer.Reply...
    ) throws -> ScriptedServer {
        let asked = Counter()
        return try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": return Wire.signedIn(uid: "u1")
            case "/v1/token": return refresh
            case _ where request.path.hasPrefix("/v1/documents:listen"):
                let index = asked.next()
                return index < streams.count ? streams[index] : .events([.hold])
            case "/v1/accounts:signInWithEmailLink":
                return Wire.signedIn(uid: "u1", email: "a@b.c", serial: 5, refresh: "refresh-5")
            default: return Wire.user(uid: "u1")
            }
        }
    }

    func guest(_ server: ScriptedServer) async throws -> Auth {
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        return auth
    }

    func streams(_ server: ScriptedServer) -> [ScriptedServer.Request] {
        server.requests.filter { $0.path.hasPrefix("/v1/documents:listen") }
    }

    /// Waits until the first stream has been requested, for at most 20 seconds.
    private func isListening(_ server: ScriptedServer) async throws {
        for _ in 0..<2000 where streams(server).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Returns the first events; `nil` stands for the end.
    func events(_ auth: Auth, _ count: Int, after number: Int64? = nil) async throws -> [DocumentEvent] {
        var seen: [DocumentEvent] = []
        for try await event in auth.documents.listen(after: number) {
            seen.append(event)
            if seen.count == count { break }
        }
        return seen
    }

    @Test func `changes come as they are told`() async throws {
        let json = #"{"number":123456789012345678901234567890}"#
        let server = try server(
            .events([
                ": hello\n\n", .event("ready", id: 16), .change(17, json), ": heartbeat\n\n",
                .event("change", id: 18, #"{"collection":"favourites","id":"number","superseded":true}"#),
                .event("change", id: 19, #"{"collection":"favourites","id":"number","deleted":true}"#),
                .event("news", id: 20, "of a newer server"), .event("reset", id: 90), .hold,
            ])
        )
        let auth = try await guest(server)
        let seen = try await events(auth, 4)
        #expect(seen.map(\.number) == [16, 17, 19, 90])
        guard case .changed(let document) = seen[1] else {
            Issue.record("\(seen)")
            return
        }
        #expect(document.path == Self.number && document.version == 17 && document.json == Array(json.utf8))
        #expect(seen[2] == .deleted(Self.number, number: 19) && seen[3] == .reset(number: 90))
        let sent = try #require(streams(server).first)
        #expect(sent.headers["accept"] == "text/event-stream")
        #expect(sent.headers["authorization"] == "Bearer \(Wire.idToken(uid: "u1"))")
        #expect(sent.headers["last-event-id"] == nil && sent.path == "/v1/documents:listen")
    }

    @Test func `events about the account are passed on, and change no position`() async throws {
        let server = try server(
            .events([
                .event("ready", id: 16), .event("account", #"{"type":"updated"}"#), .event("account", "{}"),
                .event("account", #"{"type":"of a newer server"}"#),
            ]),
            .events([.event("account", #"{"type":"merged"}"#), .event("reset", id: 20), .hold])
        )
        let auth = try await guest(server)
        let kinds = Mutex<[AccountEvent]>([])
        var seen: [DocumentEvent] = []
        for try await event in auth.documents.listen(onAccount: { kind in kinds.withLock { $0.append(kind) } }) {
            seen.append(event)
            if seen.count == 2 { break }
        }
        #expect(seen == [.ready(number: 16), .reset(number: 20)])
        #expect(kinds.withLock { $0 } == [.updated, AccountEvent(rawValue: "of a newer server"), .merged])
        #expect(streams(server).map { $0.headers["last-event-id"] } == [nil, "16"])
    }

    @Test func `a connection that breaks is made anew where it was, superseded changes counted`() async throws {
        let server = try server(
            .events([.event("ready", id: 5), .change(6, #"{"a":1}"#)]),
            .events([.event("change", id: 7, #"{"collection":"favourites","id":"number","superseded":true}"#)]),
            .lost,
            .error("UNAVAILABLE", status: 503),
            .events([.change(8, #"{"a":2}"#), "id: 9\nevent: change\ndata: {\"collec"]),
            .events([.change(9, #"{"a":3}"#), .hold])
        )
        let auth = try await guest(server)
        #expect(try await events(auth, 4).map(\.number) == [5, 6, 8, 9])
        #expect(streams(server).map { $0.headers["last-event-id"] } == [nil, "6", "7", "7", "7", "8"])
    }

    @Test func `listening goes on from a number, in a collection`() async throws {
        let server = try server(.events([.change(41, "{}"), .hold]))
        let auth = try await guest(server)
        for try await event in auth.documents.listen(in: "favourites", after: 40) {
            #expect(event.number == 41)
            break
        }
        let sent = try #require(streams(server).first)
        #expect(sent.path == "/v1/documents:listen?collection=favourites" && sent.headers["last-event-id"] == "40")
    }

    @Test func `a token that ends is renewed on the way`() async throws {
        let server = try server(
            refresh: Wire.refreshed(uid: "u1", serial: 1, refresh: "r1"),
            .events([.event("ready", id: 5), .end("token.expired")]),
            .events([.change(6, "{}"), .hold])
        )
        let auth = try await guest(server)
        #expect(try await events(auth, 2).map(\.number) == [5, 6])
        let tokens = streams(server).map { $0.headers["authorization"] }
        #expect(tokens == [0, 1].map { "Bearer \(Wire.idToken(uid: "u1", serial: $0))" })
    }

    @Test func `a token that is refused is renewed once`() async throws {
        let server = try server(
            refresh: Wire.refreshed(uid: "u1", serial: 1, refresh: "r1"),
            .error("TOKEN_EXPIRED"),
            .error("TOKEN_EXPIRED")
        )
        let auth = try await guest(server)
        #expect(await code { try await events(auth, 1) } == .userTokenExpired)
        #expect(streams(server).count == 2)
    }

    @Test(
        arguments: [
            ("user.signed-out", ListeningEnd.signedOut), ("user.revoked", .revoked), ("user.deleted", .deleted),
            ("user.disabled", .disabled), ("session.ended", .sessionEnded),
            ("user.eaten", .init(rawValue: "user.eaten")),
        ]
    )
    func `the end has a reason, and comes last`(word: String, reason: ListeningEnd) async throws {
        let server = try server(.events([.event("ready", id: 5), .end(word)]))
        let auth = try await guest(server)
        #expect(try await events(auth, 3) == [.ready(number: 5), .ended(reason)])
        #expect(streams(server).count == 1)
        #expect(auth.currentUser?.uid == "u1", "what was heard on the side signs nobody out")
    }

    @Test func `a merge ends it and names the account`() async throws {
        let server = try server(.events([.event("ready", id: 5), .end("user.merged", mergedInto: "u2")]))
        let auth = try await guest(server)
        #expect(try await events(auth, 3).last == .ended(.merged, mergedInto: "u2"))
    }

    @Test func `a guest who gets an address is listened to further`() async throws {
        let isLinked = ScriptedServer.Gate()
        let server = try server(
            .events([.event("ready", id: 5), .until(isLinked), .end("session.ended")]),
            .events([.change(6, "{}"), .hold])
        )
        let auth = try await guest(server)
        async let seen = events(auth, 2)
        try await isListening(server)
        try await auth.link(withEmail: "a@b.c", link: Wire.link)
        isLinked.open()
        #expect(try await seen.map(\.number) == [5, 6])
        let token = Wire.idToken(uid: "u1", email: "a@b.c", serial: 5)
        #expect(streams(server).last?.headers["authorization"] == "Bearer \(token)")
        #expect(streams(server).last?.headers["last-event-id"] == "5")
    }

    @Test func `after a change of user only the new user's changes arrive`() async throws {
        let isSignedIn = ScriptedServer.Gate()
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:signInWithEmailLink": Wire.signedIn(uid: "u3", email: "d@b.c")
            case "/v1/documents:listen":
                request.headers["last-event-id"] == nil
                    ? .events([.event("ready", id: 5), .until(isSignedIn)]) : .events([.change(6, "{}")])
            default: Wire.user(uid: "u3", email: "d@b.c")
            }
        }
        let auth = try await guest(server)
        async let seen = events(auth, 3)
        try await isListening(server)
        try await auth.signIn(withEmail: "d@b.c", link: Wire.link)
        isSignedIn.open()
        #expect(try await seen == [.ready(number: 5), .ended(.sessionEnded)])
        #expect(streams(server).count == 1)
    }

    @Test func `a session that ended while the connection was broken ends it too`() async throws {
        let server = try server(.events([.event("ready", id: 5)]), .error("TOKEN_EXPIRED"))
        let auth = try await guest(server)
        #expect(try await events(auth, 3) == [.ready(number: 5), .ended(.sessionEnded)])
    }

    @Test(
        arguments: [
            (ScriptedServer.Reply.error("TOO_MANY_STREAMS", status: 429), AuthError.Code.tooManyStreams),
            (.lost, .networkRequestFailed), (.raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}"), nil),
            (.error("TOO_MANY_ATTEMPTS_TRY_LATER", status: 429), .tooManyRequests),
        ] as [(ScriptedServer.Reply, AuthError.Code?)]
    )
    func `what fails at first is told`(reply: ScriptedServer.Reply, expected: AuthError.Code?) async throws {
        let server = try server(reply, .events([.event("ready", id: 5), .hold]))
        let auth = try await guest(server)
        guard let expected else {
            // It began like a stream and broke, like any other broken connection.
            #expect(try await events(auth, 1) == [.ready(number: 5)])
            return
        }
        #expect(await code { try await events(auth, 1) } == expected)
        #expect(streams(server).count == 1)
    }

    @Test func `the place of a connection that broke may still be taken for a while`() async throws {
        let server = try server(
            .events([.event("ready", id: 5)]),
            .error("TOO_MANY_STREAMS", status: 429),
            .events([.change(6, "{}"), .hold])
        )
        let auth = try await guest(server)
        #expect(try await events(auth, 2).map(\.number) == [5, 6])
    }

    @Test func `it stops when its task is cancelled`() async throws {
        let server = try server(.events([.event("ready", id: 5), .hold]))
        let auth = try await guest(server)
        let (ready, isReady) = AsyncStream<Void>.makeStream()
        let listening = Task {
            defer { isReady.finish() }
            var seen: [DocumentEvent] = []
            for try await event in auth.documents.listen(after: nil) {
                seen.append(event)
                isReady.yield()
            }
            return seen
        }
        for await () in ready { break }
        listening.cancel()
        #expect(try await listening.value == [.ready(number: 5)])
    }

    @Test func `without a user, or a transport that can, nothing is listened to`() async throws {
        let server = try server(.events([.hold]))
        let nobody = try makeAuth(server.url)
        #expect(await code { try await events(nobody, 1) } == .noCurrentUser)
        struct Plain: Transport {
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                try await URLSessionTransport().send(request)
            }
        }
        let auth = try Auth(
            configuration: Auth.Configuration(server: server.url),
            transport: Plain(),
            store: MemorySessionStore()
        )
        try await auth.signInAnonymously()
        #expect(await code { try await events(auth, 1) } == .streamingUnsupported)
    }
}

@Suite("Server-sent events") struct ServerEventParserTests {
    static let text =
        "\u{FEFF}: c\n\nevent: change\r\nid:7\r\ndata: a\r\ndata:  b\r\n\r\ndata\n\nevent: ready\rid: 8\r\r"
    static let expected = [
        ServerEvent(name: "change", id: "7", data: "a\n b"), ServerEvent(),
        ServerEvent(name: "ready", id: "8"),
    ]

    @Test(arguments: 1...40)
    func `events are the same however they are cut`(size: Int) {
        var parser = ServerEventParser()
        var events: [ServerEvent] = []
        var rest = Array(Self.text.utf8)[...]
        while !rest.isEmpty {
            events += parser.take(Array(rest.prefix(size))) ?? []
            rest = rest.dropFirst(size)
        }
        #expect(events == Self.expected)
    }

    @Test func `an event that is not ended is none`() {
        var parser = ServerEventParser()
        #expect(parser.take(Array("id: 1\ndata: x\n".utf8)) == [])
    }

    @Test func `an event beyond all limits is not believed`() {
        var parser = ServerEventParser()
        let line = Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 1 << 20) + [0x0A]
        let answers = (0..<9).map { _ in parser.take(line) }
        #expect(answers.first == [] && answers.last == .some(nil))
    }
}
