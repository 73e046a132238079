import LatchkeyClient
import Testing

@Suite("Tickets", .timeLimit(.minutes(2))) struct TicketTests {
    /// Starts a server with a guest u1 and a ticket t1; `collect` answers for the ticket, by the number of the call.
    func server(
        collect: @escaping @Sendable (Int, ScriptedServer.Request) -> ScriptedServer.Reply
    ) throws -> ScriptedServer {
        let questions = Counter()
        return try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:sendOobCode": .json(#"{"email":"a@b.c","ticket":"t1","confirmation":"47"}"#)
            case "/v1/accounts:signInWithTicket": collect(questions.next(), request)
            case "/v1/accounts:lookup":
                request["idToken"] == Wire.idToken(uid: "u1")
                    ? Wire.user(uid: "u1") : Wire.user(uid: "u1", email: "a@b.c")
            default: .error("UNEXPECTED")
            }
        }
    }

    static let approved = Wire.signedIn(
        uid: "u1",
        email: "a@b.c",
        serial: 3,
        extra: #","linked":true,"isNewUser":false"#
    )

    @Test func `a guest's request presents the guest, and the digits come back`() async throws {
        let server = try server { _, _ in .lost }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let request = try await auth.sendSignInLink(
            to: "A@b.c",
            settings: SignInSettings(continueURL: "https://x.example/")
        )
        #expect(request.email == "a@b.c")
        #expect(request.ticket == "t1")
        #expect(request.confirmation == "47")
        #expect(auth.pendingSignIn == request)
        let sent = try #require(server.requests(for: ":sendOobCode").first)
        #expect(sent["requestType"] == "EMAIL_SIGNIN")
        #expect(sent["email"] == "A@b.c")
        #expect(sent["idToken"] == Wire.idToken(uid: "u1"))
        #expect(sent["continueUrl"] == "https://x.example/")
        #expect(sent["timeZone"] == Auth.Configuration.deviceTimeZone)
    }

    @Test func `a request presents a session only for a guest who wants to be linked`() async throws {
        let server = try server { _, _ in Self.approved }
        let auth = try makeAuth(server.url)
        try await auth.sendSignInLink(to: "a@b.c")
        try await auth.signInAnonymously()
        try await auth.sendSignInLink(to: "a@b.c", settings: SignInSettings(linksAnonymousUser: false))
        try await auth.collect("t1")
        try await auth.sendSignInLink(to: "other@b.c")
        #expect(server.requests(for: ":sendOobCode").map { $0["idToken"] } == [nil, nil, nil])
    }

    @Test func `the request is remembered over a restart, until it is used`() async throws {
        let server = try server { _, _ in Self.approved }
        let folder = try TemporaryFolder()
        let store = FileSessionStore(path: folder.path + "/s.json", server: server.url)
        let request = try await makeAuth(server.url, store: store).sendSignInLink(to: "a@b.c")
        let auth = try makeAuth(server.url, store: store)
        #expect(auth.pendingSignIn == request)
        try await auth.signIn(withTicket: request.ticket, code: "1234 5678")
        #expect(auth.pendingSignIn == nil)
        #expect(try store.load().pendingSignIn == nil)
        let sent = try #require(server.requests(for: ":signInWithTicket").first)
        #expect(sent["ticket"] == "t1")
        #expect(sent["code"] == "12345678")
    }

    @Test func `a wrong code is sent once and changes nothing`() async throws {
        let server = try server { _, _ in .error("INVALID_SIGN_IN_CODE") }
        let auth = try makeAuth(server.url)
        try await auth.sendSignInLink(to: "a@b.c")
        #expect(await code { try await auth.signIn(withTicket: "t1", code: "00000000") } == .invalidSignInCode)
        #expect(auth.pendingSignIn?.ticket == "t1")
        #expect(server.requests(for: ":signInWithTicket").count == 1)
    }

    @Test func `a code whose mail is still being sent is sent again by itself`() async throws {
        let server = try server { number, _ in
            number < 2 ? .error("MAIL_PENDING", headers: ["Retry-After": "0"]) : Self.approved
        }
        let auth = try makeAuth(server.url)
        try await auth.sendSignInLink(to: "a@b.c")
        #expect(try await auth.signIn(withTicket: "t1", code: "1234 5678").user.email == "a@b.c")
        #expect(server.requests(for: ":signInWithTicket").count == 3)
        #expect(server.requests(for: ":signInWithTicket").allSatisfy { $0["code"] == "12345678" })
    }

    @Test func `a code whose mail is never sent is not sent again for ever`() async throws {
        let server = try server { _, _ in .error("MAIL_PENDING", headers: ["Retry-After": "0"]) }
        let auth = try makeAuth(server.url)
        #expect(await code { try await auth.signIn(withTicket: "t1", code: "00000000") } == .mailPending)
        #expect(server.requests(for: ":signInWithTicket").count == 11)
    }

    @Test func `paused codes are told apart from other limits, and not sent again`() async throws {
        let server = try server { _, _ in .error("CODE_PAUSED", status: 429, headers: ["Retry-After": "40"]) }
        let auth = try makeAuth(server.url)
        do {
            try await auth.signIn(withTicket: "t1", code: "00000000")
            Issue.record("a paused code signed in")
        } catch {
            #expect(error.code == .codePaused)
            #expect(error.retryAfter == .seconds(40))
        }
        #expect(server.requests(for: ":signInWithTicket").count == 1)
    }

    @Test func `waiting goes on through pending, lost answers and limits, and ends when approved`() async throws {
        let server = try server { number, _ in
            switch number {
            case 0: .error("TICKET_PENDING")
            case 1: .lost
            case 2: .error("TOO_MANY_ATTEMPTS_TRY_LATER", status: 429, headers: ["Retry-After": "1"])
            case 3: .error("TICKET_PENDING")
            default: Self.approved
            }
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let start = ContinuousClock.now
        let result = try await auth.waitForApproval(of: "t1", every: .milliseconds(20))
        #expect(result.isLinked)
        #expect(result.user.email == "a@b.c")
        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(server.requests(for: ":signInWithTicket").count == 5)
    }

    @Test(
        arguments: [
            ("TICKET_SPENT", AuthError.Code.ticketSpent), ("TICKET_EXPIRED", .ticketExpired),
            ("TICKET_ENDED", .ticketEnded), ("INVALID_TICKET", .invalidTicket), ("MAIL_FAILED", .mailFailed),
            ("EMAIL_EXISTS", .emailAlreadyInUse), ("OPERATION_NOT_ALLOWED", .operationNotAllowed),
        ]
    )
    func `waiting ends when there is nothing to wait for`(serverCode: String, expected: AuthError.Code) async throws {
        let server = try server { _, _ in .error(serverCode) }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        #expect(await code { try await auth.waitForApproval(of: "t1", every: .milliseconds(10)) } == expected)
        #expect(server.requests(for: ":signInWithTicket").count == 1)
        #expect(auth.currentUser?.isAnonymous == true)
    }

    @Test func `waiting ends when its time is over`() async throws {
        let server = try server { _, _ in .error("TICKET_PENDING") }
        let auth = try makeAuth(server.url)
        let error = await code {
            try await auth.waitForApproval(of: "t1", every: .milliseconds(50), timeout: .seconds(2))
        }
        #expect(error == .ticketPending)
        #expect((1...41).contains(server.requests.count))
    }

    @Test func `waiting ends when the server says that the ticket has expired, and not before`() async throws {
        let asked = Counter()
        let server = try server { _, _ in
            .error(asked.next() < 4 ? "TICKET_PENDING" : "TICKET_EXPIRED")
        }
        let auth = try makeAuth(server.url)
        let error = await code { try await auth.waitForApproval(of: "t1", every: .milliseconds(10)) }
        #expect(error == .ticketExpired)
        #expect(server.requests(for: ":signInWithTicket").count == 5)
    }

    @Test func `waiting longer than one wants to is not begun`() async throws {
        let server = try server { _, _ in
            .error("TOO_MANY_ATTEMPTS_TRY_LATER", status: 429, headers: ["Retry-After": "3600"])
        }
        let auth = try makeAuth(server.url)
        let error = await code { try await auth.waitForApproval(of: "t1", timeout: .seconds(60)) }
        #expect(error == .tooManyRequests)
        #expect(server.requests.count == 1)
    }

    @Test func `waiting can be cancelled`() async throws {
        let server = try server { _, _ in .error("TICKET_PENDING") }
        let auth = try makeAuth(server.url)
        let waiting = Task { await code { try await auth.waitForApproval(of: "t1", every: .seconds(60)) } }
        try await server.received("POST")
        try await Task.sleep(for: .milliseconds(200))
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
    }

    @Test func `other calls go on while one waits`() async throws {
        let server = try server { number, _ in number < 20 ? .error("TICKET_PENDING") : Self.approved }
        let auth = try makeAuth(server.url)
        async let result = auth.waitForApproval(of: "t1", every: .milliseconds(20))
        try await auth.signInAnonymously()
        #expect(auth.currentUser?.isAnonymous == true)
        #expect(try await result.user.email == "a@b.c")
    }
}
