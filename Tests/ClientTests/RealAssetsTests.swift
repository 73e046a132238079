import Foundation
import LatchkeyApp
import LatchkeyClient
import Testing

/// Documents, listening and merges against a whole server.
@Suite("Documents, usernames and merges against a real server", .timeLimit(.minutes(2))) struct RealAssetsTests {
    static let path = DocumentPath("favourites", "number")

    struct Favourite: Codable, Equatable {
        var number: Int
    }

    private func withServer(
        _ settings: [String: String] = [:],
        _ body: (RealServer) async throws -> Void
    ) async throws {
        let server = try RealServer(settings)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func makeAuth(
        _ server: RealServer,
        transport: any Transport = URLSessionTransport(),
        store: any SessionStore = MemorySessionStore()
    ) throws -> Auth {
        try Auth(
            configuration: Auth.Configuration(server: server.url, requestTimeout: .seconds(10)),
            transport: transport,
            store: store
        )
    }

    /// Requests a new link for an address that has received `count` e-mails before.
    private func link(_ server: RealServer, _ auth: Auth, to email: String, after count: Int = 0) async throws -> String
    {
        try await auth.sendSignInLink(to: email)
        return try await server.mail(to: email, after: count).link
    }

    @Test func `a change on one device shows on the other`() async throws {
        try await withServer { server in
            let first = try makeAuth(server)
            try await first.signInAnonymously()
            try await first.documents.set(Favourite(number: 17), at: Self.path)
            let linked = try await first.continueWithEmail("a@b.c", link: link(server, first, to: "a@b.c"))
            guard case .linked = linked else {
                Issue.record("\(linked)")
                return
            }
            let second = try makeAuth(server)
            let signedIn = try await second.continueWithEmail(
                "a@b.c",
                link: link(server, second, to: "a@b.c", after: 1)
            )
            guard case .signedIn = signedIn else {
                Issue.record("\(signedIn)")
                return
            }
            #expect(try await second.documents.get(Favourite.self, at: Self.path) == Favourite(number: 17))
            for try await event in first.documents.listen() {
                switch event {
                case .ready: try await second.documents.set(Favourite(number: 42), at: Self.path)
                case .changed(let document):
                    #expect(try document.decode(Favourite.self) == Favourite(number: 42))
                    return
                default: Issue.record("\(event)")
                }
            }
        }
    }

    @Test func `a guest's documents move to the account, and the guest's streams learn of it`() async throws {
        try await withServer { server in
            let owner = try makeAuth(server)
            try await owner.continueWithEmail("a@b.c", link: link(server, owner, to: "a@b.c"))
            try await owner.documents.set(Favourite(number: 42), at: Self.path)

            let guest = try makeAuth(server)
            let old = try await guest.signInAnonymously().user
            try await guest.documents.write([
                .set(Favourite(number: 3), at: Self.path),
                .set(["text": "Call Ann"], at: DocumentPath("notes", "today")),
            ])
            let (ready, isReady) = AsyncStream<Void>.makeStream()
            async let end = Self.end(of: guest.documents.listen(), isReady)
            for await () in ready { break }
            let mailed = try await link(server, guest, to: "a@b.c", after: 1)
            let refused = await #expect(throws: AuthError.self) {
                try await guest.continueWithEmail("a@b.c", link: mailed, onConflict: .report)
            }
            #expect(refused?.code == .emailAlreadyInUse)
            #expect(refused?.mergeReport?.isDryRun == true && refused?.mergeReport?.documents.moved == 1)
            #expect(try await guest.reload().uid == old.uid)
            let credential = try #require(refused?.credential)
            guard case .merged(let user, let report) = try await guest.continue(with: credential) else {
                Issue.record("not merged")
                return
            }
            #expect(user.uid == owner.currentUser?.uid && guest.currentUser == user)
            #expect(report.anonymousUID == old.uid && report.uid == user.uid && report.mergedAt != nil)
            #expect(report.documents.conflicts.map(\.path) == [Self.path])
            #expect(report.documents.conflicts.map(\.outcome) == [.keptExisting])
            #expect(report.documents.moved == 1)
            #expect(try await end == .ended(.merged, mergedInto: user.uid))
            #expect(try await guest.documents.get(Favourite.self, at: Self.path).number == 42)
            let note = try await owner.documents.get([String: String].self, at: DocumentPath("notes", "today"))
            #expect(note == ["text": "Call Ann"])
        }
    }

    /// Returns the last event of a stream.
    ///
    /// - Parameter ready: yields for each event, and finishes with the stream.
    private static func end(
        of events: DocumentEvents,
        _ ready: AsyncStream<Void>.Continuation? = nil
    ) async throws -> DocumentEvent? {
        defer { ready?.finish() }
        var last: DocumentEvent?
        for try await event in events {
            last = event
            ready?.yield()
        }
        return last
    }

    @Test func `a merge after a sign-in does what its dry run said, and answers the same again`() async throws {
        try await withServer { server in
            let owner = try makeAuth(server)
            try await owner.continueWithEmail("a@b.c", link: link(server, owner, to: "a@b.c"))
            let guest = try makeAuth(server)
            try await guest.signInAnonymously()
            try await guest.documents.set(Favourite(number: 3), at: Self.path)
            let token = try await guest.idToken()
            let dry = try await owner.mergeDryRun(from: guest)
            #expect(dry.isDryRun && dry.documents.moved == 1)
            #expect(try await guest.documents.get(Favourite.self, at: Self.path).number == 3)
            let report = try await owner.merge(from: guest)
            #expect(report.documents == dry.documents && !report.isDryRun)
            #expect(guest.currentUser == nil)
            #expect(try await owner.documents.get(Favourite.self, at: Self.path).number == 3)
            #expect(try await owner.merge(anonymousIDToken: token) == report)
            #expect(owner.currentUser?.email == "a@b.c")
        }
    }

    @Test func `versions guard writes, and listening goes on from a number`() async throws {
        try await withServer { server in
            let auth = try makeAuth(server)
            try await auth.signInAnonymously()
            let made = try await auth.documents.set(["n": 1], at: Self.path, if: .isAbsent)
            let again = await code { try await auth.documents.set(["n": 2], at: Self.path, if: .isAbsent) }
            #expect(again == .preconditionFailed)
            let changed = try await auth.documents.update(["m": 2], at: Self.path, if: .version(made.version))
            #expect(try changed.decode([String: Int].self) == ["n": 1, "m": 2])
            try await auth.documents.delete(Self.path, if: .version(changed.version))
            #expect(await code { try await auth.documents.get(Self.path) } == .documentNotFound)
            let other = try await auth.documents.set(json: Array(#"{"big":1e400}"#.utf8), at: DocumentPath("c", "d"))
            var seen: [DocumentEvent] = []
            for try await event in auth.documents.listen(after: changed.version) {
                seen.append(event)
                if seen.count == 2 { break }
            }
            #expect(seen.map(\.number) == [other.version - 1, other.version])
            #expect(seen.last == .changed(other))
            var listed: [Document] = []
            for try await page in auth.documents.list(pageSize: 1) { listed += page.documents }
            #expect(listed.map(\.json) == [other.json] && listed.map(\.version) == [other.version])
        }
    }

    @Test(arguments: [1, 3])
    func `a merge whose answer is lost is made once, and told when asked again`(losses: Int) async throws {
        try await withServer { server in
            let owner = try makeAuth(server)
            try await owner.continueWithEmail("a@b.c", link: link(server, owner, to: "a@b.c"))
            let store = MemorySessionStore()
            let guest = try makeAuth(
                server,
                transport: FaultyTransport(losing: losses, of: ":signInWithEmailLink"),
                store: store
            )
            let uid = try await guest.signInAnonymously().user.uid
            try await guest.documents.set(Favourite(number: 3), at: Self.path)
            let mailed = try await link(server, guest, to: "a@b.c", after: 1)
            if losses == 3 {
                // As often as the client retries by itself.
                let error = await code { try await guest.continueWithEmail("a@b.c", link: mailed) }
                #expect(error == .networkRequestFailed)
                #expect(guest.currentUser?.uid == uid)
            }
            let again = losses == 3 ? try makeAuth(server, store: store) : guest
            guard case .merged(let user, let report) = try await again.continueWithEmail("a@b.c", link: mailed) else {
                Issue.record("not merged")
                return
            }
            #expect(user.uid == owner.currentUser?.uid && report.anonymousUID == uid && report.documents.moved == 1)
            #expect(try await again.documents.get(Favourite.self, at: Self.path).number == 3)
            #expect(try await again.idToken(forcingRefresh: true) != "")
        }
    }

    @Test func `a listener whose connection breaks again and again misses nothing and hears nothing twice`()
        async throws
    {
        try await withServer { server in
            let writer = try makeAuth(server)
            try await writer.continueWithEmail("a@b.c", link: link(server, writer, to: "a@b.c"))
            let reader = try makeAuth(server, transport: FaultyTransport(cuttingStreams: true))
            try await reader.continueWithEmail("a@b.c", link: link(server, reader, to: "a@b.c", after: 1))
            let first = try await writer.documents.set(["n": 0], at: DocumentPath("c", "0")).version
            async let writing: Void = {
                for number in 1...150 {
                    try await writer.documents.set(["n": number], at: DocumentPath("c", "\(number)"))
                }
            }()
            var seen: [Int64] = []
            for try await event in reader.documents.listen(after: first) {
                seen += [event.number].compactMap(\.self)
                if seen.count == 150 { break }
            }
            try await writing
            #expect(seen == Array(first + 1...first + 150))
        }
    }

    @Test func `a user sees the sessions on other devices and ends one`() async throws {
        try await withServer { server in
            let first = try makeAuth(server)
            try await first.continueWithEmail("a@b.c", link: link(server, first, to: "a@b.c"))
            let second = try makeAuth(server)
            try await second.continueWithEmail("a@b.c", link: link(server, second, to: "a@b.c", after: 1))
            let sessions = try await first.sessions()
            #expect(sessions.count == 2 && sessions.filter(\.isCurrent).count == 1)
            let other = try #require(sessions.first { !$0.isCurrent })
            #expect(other.signInProvider == "password")
            try await first.endSession(other.id)
            #expect(try await first.sessions().map(\.isCurrent) == [true])
            #expect(await code { try await second.reload() } == .userTokenExpired)
            #expect(second.currentUser == nil)
            #expect(await code { try await first.endSession("AAAAAAAAAAAAAAAAAAAAAA") } == .sessionNotFound)
            let own = try #require(try await first.sessions().first?.id)
            try await first.endSession(own)
            #expect(first.currentUser == nil)
            #expect(await code { try await first.sessions() } == .noCurrentUser)
        }
    }

    @Test func `a URL of the account page comes from a server that has the page`() async throws {
        try await withServer { server in
            let guest = try makeAuth(server)
            try await guest.signInAnonymously()
            #expect(await code { try await guest.accountURL() } == .operationNotAllowed)
        }
        try await withServer(["LATCHKEY_ACCOUNT_PAGE": "on"]) { server in
            let guest = try makeAuth(server)
            #expect(await code { try await guest.accountURL() } == .noCurrentUser)
            try await guest.signInAnonymously()
            let url = try await guest.accountURL()
            #expect(url.absoluteString.hasPrefix("\(server.url)/account/open?token="))
        }
    }

    @Test func `usernames belong to one user, and go along with a merge`() async throws {
        try await withServer { server in
            let guest = try makeAuth(server)
            try await guest.signInAnonymously()
            #expect(try await guest.setUsername("Ann_1").username == "Ann_1")
            let other = try makeAuth(server)
            try await other.continueWithEmail("a@b.c", link: link(server, other, to: "a@b.c"))
            #expect(await code { try await other.setUsername("ann_1") } == .usernameTaken)
            #expect(await code { try await other.setUsername("a b") } == .invalidUsername)
            let found = try await other.username(named: "ANN_1")
            #expect(!found.isAvailable && found.uid == guest.currentUser?.uid && found.username == "Ann_1")
            #expect(try await guest.reload().username == "Ann_1")

            let report = try await other.merge(from: guest)
            #expect(report.username == .moved("Ann_1"))
            #expect(other.currentUser?.username == "Ann_1")
            #expect(try await other.releaseUsername().username == nil)
            #expect(try await other.username(named: "Ann_1").isAvailable)
        }
    }
}
