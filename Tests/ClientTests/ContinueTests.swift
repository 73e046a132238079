import Foundation
import LatchkeyClient
import Testing

/// Every possible outcome of proving an address.
@Suite("Continuing with an e-mail address", .timeLimit(.minutes(2))) struct ContinueTests {
    static let report = """
        {"mergeId":"m1","anonymousLocalId":"u1","localId":"u2","dryRun":false,"mergedAt":"2026-11-21T10:00:00.250Z",\
        "documents":{"moved":3,"collections":[{"collection":"favourites","policy":"keepBoth","moved":3,"conflicts":2}],\
        "conflicts":[{"collection":"favourites","id":"number","outcome":"keptBoth","newId":"number-a1B2c3"},\
        {"collection":"favourites","id":"colour","outcome":"keptExisting"}],"conflictsOmitted":7},\
        "tables":[{"table":"todos","column":"uid","moved":4,"dropped":1}],\
        "username":{"outcome":"moved","username":"Ann"},"profile":{"moved":["displayName"]}}
        """

    static func merged(_ report: String = report) -> ScriptedServer.Reply {
        Wire.signedIn(
            uid: "u2",
            email: "a@b.c",
            serial: 9,
            refresh: "refresh-9",
            extra: #","merged":true,"isNewUser":false,"mergeReport":\#(report)"#
        )
    }

    /// Starts a server with a guest u1 and, once the address is proven, a user.
    func server(
        redeem: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:signInWithEmailLink", "/v1/accounts:signInWithTicket": redeem(request)
            case "/v1/accounts:lookup":
                request["idToken"] == Wire.idToken(uid: "u1")
                    ? Wire.user(uid: "u1")
                    : Wire.user(uid: request["idToken"] == Self.token2 ? "u2" : "u1", email: "a@b.c")
            default: .error("UNEXPECTED")
            }
        }
    }

    static let token2 = Wire.idToken(uid: "u2", email: "a@b.c", serial: 9)

    @Test func `a new address is linked to the guest`() async throws {
        let server = try server { _ in Wire.signedIn(uid: "u1", email: "a@b.c", serial: 5) }
        let auth = try makeAuth(server.url)
        let guest = try await auth.signInAnonymously().user
        let outcome = try await auth.continueWithEmail("a@b.c", link: Wire.link)
        guard case .linked(let user) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(user.uid == guest.uid && user.email == "a@b.c")
        let sent = try #require(server.requests(for: ":signInWithEmailLink").first)
        #expect(sent["idToken"] == Wire.idToken(uid: "u1") && sent["onConflict"] == "merge")
    }

    @Test func `a guest is merged into the account of the address, announced and stored with its tokens`() async throws
    {
        let server = try server { _ in Self.merged() }
        let folder = try TemporaryFolder()
        let store = FileSessionStore(path: folder.path + "/s.json", server: server.url)
        let auth = try makeAuth(server.url, store: store)
        try await auth.signInAnonymously()
        var states = auth.states().makeAsyncIterator()
        _ = await states.next()
        guard case .merged(let user, let report) = try await auth.continueWithEmail("a@b.c", link: Wire.link) else {
            Issue.record("not merged")
            return
        }
        #expect(user.uid == "u2")
        #expect(await states.next() == .authenticated(user))
        #expect(auth.currentUser == user)
        let stored = try #require(try store.load().session)
        #expect(stored.user == user && stored.refreshToken == "refresh-9" && stored.idToken == Self.token2)
        #expect(try await auth.idToken() == Self.token2)

        #expect(report.anonymousUID == "u1" && report.uid == "u2" && report.mergeID == "m1" && !report.isDryRun)
        #expect(report.mergedAt?.timeIntervalSince1970 == 1_795_255_200.25)
        #expect(report.documents.moved == 3 && report.documents.conflictsOmitted == 7)
        #expect(report.documents.collections.first?.policy == "keepBoth")
        #expect(report.documents.conflicts.map(\.outcome) == [.keptBoth, .keptExisting])
        #expect(report.documents.conflicts.first?.path == DocumentPath("favourites", "number"))
        #expect(report.documents.conflicts.first?.newID == "number-a1B2c3")
        #expect(report.tables.first?.moved == 4 && report.tables.first?.dropped == 1)
        #expect(report.username == .moved("Ann") && report.profile == ["displayName"])
    }

    @Test func `a report is written as it was read`() throws {
        let report = try JSONDecoder().decode(MergeReport.self, from: Data(Self.report.utf8))
        let again = try JSONDecoder().decode(MergeReport.self, from: try JSONEncoder().encode(report))
        #expect(report == again)
    }

    @Test(arguments: ["{}", #"{"documents":[],"tables":7,"mergedAt":"soon","username":null,"new":1}"#])
    func `a merge stands whatever its report looks like`(report: String) async throws {
        let server = try server { _ in Self.merged(report) }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        guard case .merged(let user, _) = try await auth.continueWithEmail("a@b.c", link: Wire.link) else {
            Issue.record("not merged")
            return
        }
        #expect(user.uid == "u2" && auth.currentUser == user)
    }

    @Test(arguments: [(true, "u1"), (false, "u2")])
    func `without a guest it signs in, or up`(isNewUser: Bool, uid: String) async throws {
        let server = try server { _ in
            Wire.signedIn(uid: uid, email: "a@b.c", serial: 9, extra: #","isNewUser":\#(isNewUser)"#)
        }
        let auth = try makeAuth(server.url)
        let outcome = try await auth.continueWithEmail("a@b.c", link: Wire.link)
        #expect(outcome == (isNewUser ? .signedUp(outcome.user) : .signedIn(outcome.user)))
        let sent = try #require(server.requests(for: ":signInWithEmailLink").first)
        #expect(sent["idToken"] == nil && sent["onConflict"] == nil)
    }

    @Test func `the owner of an address signs in again, or as another user`() async throws {
        let server = try server { request in
            Wire.signedIn(uid: "u2", email: request["email"] ?? "", serial: 9)
        }
        let auth = try makeAuth(server.url)
        try await auth.signIn(withEmail: "a@b.c", link: Wire.link)
        for email in ["a@b.c", "d@b.c"] {
            guard case .signedIn = try await auth.continueWithEmail(email, link: Wire.link) else {
                Issue.record("not signed in")
                return
            }
        }
        #expect(server.requests(for: ":signInWithEmailLink").map { $0["idToken"] } == [nil, nil, nil])
    }

    @Test func `who only wants to know keeps guest and link, and goes on with what the error carries`() async throws {
        let server = try server { request in
            request["onConflict"] == "merge" ? Self.merged() : .error("EMAIL_EXISTS")
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let before = auth.state
        let error = await #expect(throws: AuthError.self) {
            try await auth.continueWithEmail("a@b.c", link: Wire.link, onConflict: .error)
        }
        #expect(error?.code == .emailAlreadyInUse)
        #expect(auth.state == before)
        let credential = try #require(error?.credential)
        #expect(credential.email == "a@b.c")
        let link = await #expect(throws: AuthError.self) { try await auth.link(withEmail: "a@b.c", link: Wire.link) }
        #expect(link?.credential == credential)
        var text = "\(credential)\(try #require(error))\(error.debugDescription)"
        dump(error, to: &text)
        #expect(!text.contains(Wire.action))
        guard case .merged = try await auth.continue(with: credential) else {
            Issue.record("not merged")
            return
        }
        #expect(auth.currentUser?.uid == "u2")
    }

    @Test func `a ticket merges by its code, and what the error carries is that ticket`() async throws {
        let server = try server { request in
            request["onConflict"] == "merge" ? Self.merged() : .error("EMAIL_EXISTS")
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let error = await #expect(throws: AuthError.self) {
            try await auth.continueWithTicket("t1", code: "123 456", onConflict: .error)
        }
        let credential = try #require(error?.credential)
        guard case .merged = try await auth.continue(with: credential) else {
            Issue.record("not merged")
            return
        }
        let sent = server.requests(for: ":signInWithTicket")
        #expect(sent.map { $0["code"] } == ["123456", "123456"])
        #expect(sent.map { $0["ticket"] } == ["t1", "t1"])
    }

    @Test func `waiting for approval may come to a merge`() async throws {
        let questions = Counter()
        let server = try server { _ in questions.next() < 2 ? .error("TICKET_PENDING") : Self.merged() }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let result = try await auth.waitForApproval(of: "t1", onConflict: .merge, every: .milliseconds(10))
        #expect(result.mergeReport?.uid == "u2" && !result.isLinked)
        guard case .merged = result.outcome else {
            Issue.record("not merged")
            return
        }
    }

    @Test func `a lost answer to a merge is asked for again, with the same session`() async throws {
        let tries = Counter()
        let server = try server { _ in tries.next() < 2 ? .lost : Self.merged() }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        guard case .merged = try await auth.continueWithEmail("a@b.c", link: Wire.link) else {
            Issue.record("not merged")
            return
        }
        let sent = server.requests(for: ":signInWithEmailLink").map(\.text)
        #expect(sent.count == 3 && Set(sent).count == 1)
    }

    @Test func `when every answer is lost, the guest goes on, and the same call gets the result later`() async throws {
        let tries = Counter()
        let server = try server { _ in tries.next() < 3 ? .lost : Self.merged() }
        let folder = try TemporaryFolder()
        let store = FileSessionStore(path: folder.path + "/s.json", server: server.url)
        let auth = try makeAuth(server.url, store: store)
        try await auth.signInAnonymously()
        #expect(
            await code { try await auth.continueWithEmail("a@b.c", link: Wire.link) } == .networkRequestFailed
        )
        #expect(auth.currentUser?.isAnonymous == true)
        let restarted = try makeAuth(server.url, store: store)
        guard case .merged(_, let report) = try await restarted.continueWithEmail("a@b.c", link: Wire.link) else {
            Issue.record("not merged")
            return
        }
        #expect(report.mergeID == "m1")
        #expect(Set(server.requests(for: ":signInWithEmailLink").map(\.text)).count == 1)
    }

    @Test(arguments: ["MERGE_REFUSED", "MERGE_FAILED", "MERGE_IN_PROGRESS"])
    func `a merge that is not made changes nothing`(serverCode: String) async throws {
        let server = try server { _ in .error("\(serverCode) : the shop is closed", status: 409) }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        let before = auth.state
        let error = await #expect(throws: AuthError.self) {
            try await auth.continueWithEmail("a@b.c", link: Wire.link)
        }
        #expect(error?.serverCode == serverCode && error?.detail == "the shop is closed")
        #expect([.mergeRefused, .mergeFailed, .mergeInProgress].contains(error?.code))
        #expect(auth.state == before)
        #expect(server.requests(for: ":signInWithEmailLink").count == 1)
    }

    @Test func `a guest whose session is over signs in with the link`() async throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/token": .error("USER_NOT_FOUND")
            case "/v1/accounts:signInWithEmailLink":
                request["idToken"] == nil
                    ? Wire.signedIn(uid: "u2", email: "a@b.c", serial: 9) : .error("TOKEN_EXPIRED")
            default: Wire.user(uid: request["idToken"] == Self.token2 ? "u2" : "u1")
            }
        }
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        guard case .signedIn(let user) = try await auth.continueWithEmail("a@b.c", link: Wire.link) else {
            Issue.record("not signed in")
            return
        }
        #expect(user.uid == "u2")
    }
}
