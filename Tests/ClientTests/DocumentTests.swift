import Foundation
import LatchkeyClient
import Testing

@Suite("Documents", .timeLimit(.minutes(2))) struct DocumentTests {
    static let path = DocumentPath("favourites", "number")

    /// Starts a server with a guest u1; `answer` answers every call on documents.
    func server(
        refresh: ScriptedServer.Reply = .error("TOKEN_EXPIRED"),
        answer: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/token": refresh
            case _ where request.path.hasPrefix("/v1/documents"): answer(request)
            default: Wire.user(uid: "u1")
            }
        }
    }

    func guest(_ server: ScriptedServer) async throws -> Auth {
        let auth = try makeAuth(server.url)
        try await auth.signInAnonymously()
        return auth
    }

    static func stored(_ json: String, version: Int = 17, status: Int = 200) -> ScriptedServer.Reply {
        .json(json, status: status, headers: ["ETag": "\"\(version)\""])
    }

    struct Favourite: Codable, Equatable {
        var number: Int
    }

    @Test func `a document is set as a value and read as one`() async throws {
        let server = try server { _ in Self.stored(#"{"number":17}"#, status: 201) }
        let documents = try await guest(server).documents
        let document = try await documents.set(Favourite(number: 17), at: Self.path)
        #expect(document.version == 17 && document.path == Self.path)
        #expect(try await documents.get(Favourite.self, at: Self.path) == Favourite(number: 17))
        #expect(await code { try await documents.get([Int].self, at: Self.path) } == .documentMismatch)
        let sent = try #require(server.requests.first { $0.method == "PUT" })
        #expect(sent.path == "/v1/documents/favourites/number")
        #expect(sent.text == #"{"number":17}"#)
        #expect(sent.headers["authorization"] == "Bearer \(Wire.idToken(uid: "u1"))")
        #expect(sent.headers["x-goog-api-key"] == nil)
    }

    @Test func `JSON goes through byte for byte`() async throws {
        let json = #"{"z":123456789012345678901234567890,"a":1.10,"A":"\u0000"}"#
        let server = try server { request in
            request.path.contains("?")
                ? .json(
                    #"{"documents":[{"collection":"favourites","id":"number","version":"17","#
                        + #""updatedAt":"2026-11-21T10:00:00.000Z","document":\#(json)}]}"#
                ) : Self.stored(json)
        }
        let documents = try await guest(server).documents
        #expect(try await documents.set(json: Array(json.utf8), at: Self.path).json == Array(json.utf8))
        #expect(try await documents.get(Self.path).json == Array(json.utf8))
        let listed = try #require(try await documents.page().documents.first)
        #expect(listed.json == Array(json.utf8) && listed.version == 17)
        #expect(listed.updatedAt?.timeIntervalSince1970 == 1_795_255_200)
        #expect(server.requests.first { $0.method == "PUT" }?.text == json)
    }

    @Test func `an update is a merge patch, and null removes`() async throws {
        let server = try server { _ in Self.stored("{}", version: 18) }
        let documents = try await guest(server).documents
        #expect(try await documents.update(["number": 42, "old": nil] as [String: Int?], at: Self.path).version == 18)
        let sent = try #require(server.requests.first { $0.method == "PATCH" })
        #expect(sent.headers["content-type"] == "application/merge-patch+json")
        #expect(sent.text.contains(#""old":null"#) && sent.text.contains(#""number":42"#))
    }

    @Test(
        arguments: [
            (DocumentCondition.version(17), "if-match", #""17""#), (.exists, "if-match", "*"),
            (.isAbsent, "if-none-match", "*"),
        ]
    )
    func `a condition is sent, and never asked for twice`(
        condition: DocumentCondition,
        header: String,
        value: String
    ) async throws {
        let server = try server { request in
            request.method == "DELETE" ? .lost : .error("PRECONDITION_FAILED", status: 412)
        }
        let documents = try await guest(server).documents
        let failed = await code { try await documents.set(["a": 1], at: Self.path, if: condition) }
        #expect(failed == .preconditionFailed)
        #expect(await code { try await documents.delete(Self.path, if: condition) } == .networkRequestFailed)
        let sent = server.requests.filter { $0.path.hasPrefix("/v1/documents") }
        #expect(sent.map(\.method) == ["PUT", "DELETE"])
        #expect(sent.allSatisfy { $0.headers[header] == value })
    }

    @Test func `what is unconditional is asked for again when the answer is lost`() async throws {
        let tries = Counter()
        let server = try server { _ in tries.next() % 2 == 0 ? .lost : Self.stored(#"{"number":17}"#) }
        let documents = try await guest(server).documents
        try await documents.set(["number": 17], at: Self.path)
        _ = try await documents.get(Self.path)
        #expect(server.requests.filter { $0.path.hasPrefix("/v1/documents") }.count == 4)
    }

    @Test func `several writes go together`() async throws {
        let server = try server { _ in
            .json(#"{"writes":[{"collection":"a","id":"1","version":"18"},{"collection":"a","id":"2"}]}"#)
        }
        let documents = try await guest(server).documents
        let versions = try await documents.write([
            .update(json: Array(#"{ "n": 1e400 }"#.utf8), at: DocumentPath("a", "1"), if: .version(3)),
            .delete(DocumentPath("a", "2"), if: .exists),
        ])
        #expect(versions == [18, nil])
        let sent = try #require(server.requests.first { $0.method == "PATCH" })
        #expect(sent.path == "/v1/documents")
        #expect(
            sent.text == #"{"writes":[{"collection":"a","id":"1","patch":{"n":1e400},"ifMatch":"3"},"#
                + #"{"collection":"a","id":"2","delete":true,"ifMatch":"*"}]}"#
        )
    }

    @Test(arguments: ["[1]", "17", #"{"a":1},"delete":true"#, #"{"a":1,"a":2}"#, ""])
    func `what is no JSON object never joins several writes`(json: String) {
        #expect(throws: AuthError.self) { try DocumentWrite.set(json: Array(json.utf8), at: Self.path) }
    }

    @Test(arguments: ["", ".", "..", "a/b", "a b", "é", "a?x=1", String(repeating: "a", count: 129)])
    func `a name that no document can have is not sent`(name: String) async throws {
        let server = try server { _ in Self.stored("{}") }
        let documents = try await guest(server).documents
        for path in [DocumentPath(name, "a"), DocumentPath("a", name)] {
            #expect(await code { try await documents.get(path) } == .invalidDocumentName)
            #expect(await code { try await documents.write([.delete(path)]) } == .invalidDocumentName)
        }
        #expect(await code { try await documents.page(in: name) } == .invalidDocumentName)
        #expect(!server.requests.contains { $0.path.hasPrefix("/v1/documents") })
    }

    @Test(
        arguments: [
            ("DOCUMENT_NOT_FOUND", AuthError.Code.documentNotFound), ("DOCUMENT_TOO_LARGE", .documentTooLarge),
            ("DOCUMENT_TOO_DEEP", .documentTooDeep), ("TOO_MANY_DOCUMENTS", .tooManyDocuments),
            ("STORAGE_LOW", .storageLow), ("DOCUMENT_QUOTA_EXCEEDED", .documentQuotaExceeded),
            ("INVALID_DOCUMENT", .invalidDocument),
            ("TOO_MANY_WRITES", .tooManyWrites),
        ]
    )
    func `limits have names`(serverCode: String, expected: AuthError.Code) async throws {
        let server = try server { _ in .error(serverCode, status: 403) }
        let documents = try await guest(server).documents
        #expect(await code { try await documents.get(Self.path) } == expected)
    }

    @Test func `a list goes on from page to page, and requests only the pages it needs`() async throws {
        let server = try server { request in
            let page = { (id: String, next: String) in
                ScriptedServer.Reply.json(
                    #"{"documents":[{"collection":"c","id":"\#(id)","version":"1","document":{}}]\#(next)}"#
                )
            }
            return request.path.hasSuffix("pageToken=a%2B%2F%3D")
                ? page("2", "") : page("1", #","nextPageToken":"a+/=""#)
        }
        let documents = try await guest(server).documents
        var ids: [String] = []
        for try await page in documents.list(in: "c", pageSize: 1) { ids += page.documents.map(\.path.id) }
        #expect(ids == ["1", "2"])
        #expect(server.requests.filter { $0.method == "GET" }.first?.path == "/v1/documents?pageSize=1&collection=c")
        for try await _ in documents.list() { break }
        #expect(server.requests.filter { $0.method == "GET" }.count == 3)
    }

    @Test func `an old token is renewed once, and a session that is over signs out`() async throws {
        let token = Wire.idToken(uid: "u1", serial: 1)
        let renewing = try server(refresh: Wire.refreshed(uid: "u1", serial: 1, refresh: "r1")) { request in
            request.headers["authorization"] == "Bearer \(token)" ? Self.stored("{}") : .error("TOKEN_EXPIRED")
        }
        let auth = try await guest(renewing)
        _ = try await auth.documents.get(Self.path)
        #expect(auth.currentUser?.uid == "u1")

        let over = try server { _ in .error("TOKEN_EXPIRED") }
        let other = try await guest(over)
        #expect(await code { try await other.documents.get(Self.path) } == .userTokenExpired)
        #expect(other.currentUser == nil)
        #expect(await code { try await other.documents.get(Self.path) } == .noCurrentUser)
    }

    @Test func `a write that was begun for a guest follows it into the account`() async throws {
        let merged = Counter(), gate = ScriptedServer.Gate()
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:signInWithEmailLink": ContinueTests.merged()
            case "/v1/token": Wire.refreshed(uid: "u2", email: "a@b.c", serial: 10, refresh: "r10")
            case "/v1/documents/favourites/number":
                // The guest's own answer arrives once the merge is done.
                merged.next() == 0 ? .after(gate, .error("TOKEN_EXPIRED")) : Self.stored("{}")
            default: Wire.user(uid: "u2", email: "a@b.c")
            }
        }
        let auth = try await guest(server)
        async let write = auth.documents.set(["number": 17], at: Self.path)
        try await server.received("PUT")
        try await auth.continueWithEmail("a@b.c", link: Wire.link)
        gate.open()
        #expect(try await write.version == 17)
        #expect(server.requests.filter { $0.method == "PUT" }.count == 2)
    }

    @Test func `a write that was begun for one user never lands with another`() async throws {
        let asked = Counter(), gate = ScriptedServer.Gate()
        let server = try ScriptedServer { request in
            switch request.path {
            case "/v1/accounts:signUp": Wire.signedIn(uid: "u1")
            case "/v1/accounts:signInWithEmailLink": Wire.signedIn(uid: "u3", email: "d@b.c")
            case "/v1/token": Wire.refreshed(uid: "u3", email: "d@b.c", serial: 1, refresh: "r1")
            case "/v1/documents/favourites/number":
                asked.next() == 0 ? .after(gate, .error("TOKEN_EXPIRED")) : Self.stored("{}")
            default: Wire.user(uid: "u3", email: "d@b.c")
            }
        }
        let auth = try await guest(server)
        async let write = code { try await auth.documents.set(["number": 17], at: Self.path) }
        try await server.received("PUT")
        try await auth.signIn(withEmail: "d@b.c", link: Wire.link)
        gate.open()
        #expect(await write == .userTokenExpired)
        #expect(auth.currentUser?.uid == "u3")
        #expect(server.requests.filter { $0.method == "PUT" }.count == 1)
    }
}
