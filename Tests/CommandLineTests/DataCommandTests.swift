import Foundation
import Testing

@testable import latchkey

/// The commands about a user's data, in a separate process, against a scripted server.
@Suite("Documents, usernames and merges", .timeLimit(.minutes(3))) struct DataCommandTests {
    let folder = NSTemporaryDirectory() + "latchkey-data-" + UUID().uuidString
    var session: String { folder + "/state/session.json" }

    func cleanUp() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func latchkey(
        _ words: [String],
        server: ScriptedServer,
        input: String = "",
        session: String? = nil
    ) async throws -> ProgramResult {
        let own = ["LATCHKEY_URL": server.url, "LATCHKEY_SESSION": session ?? self.session, "LANG": "C"]
        return try await runProgram(words, input: input, environment: own)
    }

    static let guestToken = ProgramTests.guestToken
    static let ownerToken = ProgramTests.token(
        #"{"sub":"u2","email":"a@b.c","firebase":{"sign_in_provider":"password"}}"#
    )
    static let report = """
        {"mergeId":"m1","anonymousLocalId":"u1","localId":"u2","dryRun":false,"mergedAt":"2026-11-21T10:00:00.000Z",\
        "documents":{"moved":4,"collections":[{"collection":"favourites","policy":"keepBoth","moved":1,"conflicts":1},\
        {"collection":"notes","policy":"keepExisting","moved":3,"conflicts":1}],"conflicts":[\
        {"collection":"favourites","id":"number","outcome":"keptBoth","newId":"number-a1B2c3"},\
        {"collection":"notes","id":"a\\u001b[2J","outcome":"keptExisting"}],"conflictsOmitted":2},\
        "tables":[{"table":"todos","column":"uid","moved":2,"dropped":1},\
        {"table":"empty","column":"uid","moved":0,"dropped":0}],\
        "username":{"outcome":"dropped","username":"Ann"},"profile":{"moved":["displayName"]}}
        """
    static let shown = """
        Moved from the guest u1:
          documents  4 (favourites 1, notes 3)
          conflict   favourites/number: the guest's document is now number-a1B2c3
          conflict   notes/a[2J: the account's document stays
                     and 2 more conflicts
          table      todos 2, 1 dropped: the account has such a row
          username   Ann dropped: the account has one
          profile    displayName

        """

    /// Starts a server with a guest u1 and the owner u2 of a@b.c.
    func server(
        _ special: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply? = { _ in nil }
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            if let reply = special(request) { return reply }
            let signedIn = { (uid: String, token: String, extra: String) in
                ScriptedServer.Reply.json(
                    #"{"localId":"\#(uid)","idToken":"\#(token)","refreshToken":"r","expiresIn":"3600"\#(extra)}"#
                )
            }
            switch request.path {
            case "/v1/accounts:signUp": return signedIn("u1", Self.guestToken, "")
            case "/v1/accounts:signInWithEmailLink":
                guard request["idToken"] != nil else { return signedIn("u2", Self.ownerToken, "") }
                guard request["onConflict"] == "merge" else { return .error("EMAIL_EXISTS") }
                return signedIn("u2", Self.ownerToken, #","merged":true,"mergeReport":\#(Self.report)"#)
            case "/v1/accounts:merge":
                let isDry = String(decoding: request.body, as: UTF8.self).contains("dryRun")
                let report = isDry ? Self.report.replacing(#""dryRun":false"#, with: #""dryRun":true"#) : Self.report
                return .json(#"{"localId":"u2","report":\#(report)}"#)
            default:
                return request["idToken"] == Self.ownerToken
                    ? .json(#"{"users":[{"localId":"u2","email":"a@b.c","emailVerified":true,"username":"Bob"}]}"#)
                    : .json(#"{"users":[{"localId":"u1"}]}"#)
            }
        }
    }

    @Test func `a guest who redeems a link of an account is merged, and sees what moved`() async throws {
        defer { cleanUp() }
        let server = try server()
        _ = try await latchkey(["guest"], server: server)
        let redeem = try await latchkey(["redeem", ProgramTests.link, "--email", "a@b.c"], server: server)
        #expect(redeem.status == 0)
        #expect(redeem.output.hasPrefix("You are signed in as a@b.c. The guest was merged into this account.\n"))
        #expect(redeem.output.hasSuffix(Self.shown))
        let whoami = try await latchkey(["whoami"], server: server)
        #expect(whoami.output.contains("  uid      u2\n") && whoami.output.contains("  username Bob\n"))
    }

    @Test func `a script gets the report as the server wrote it`() async throws {
        defer { cleanUp() }
        let server = try server()
        _ = try await latchkey(["guest"], server: server)
        let words = ["redeem", ProgramTests.link, "--email", "a@b.c", "--json"]
        let output = try await latchkey(words, server: server).output
        let object = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        #expect(object["merged"] as? Bool == true && object["linked"] as? Bool == false)
        let report = try #require(object["mergeReport"] as? [String: Any]) as NSDictionary
        let expected = try JSONSerialization.jsonObject(with: Data(Self.report.utf8)) as? NSDictionary
        #expect(report == expected)
    }

    @Test func `a guest of another session file is merged, after a look at what would move`() async throws {
        defer { cleanUp() }
        let server = try server()
        let guest = folder + "/guest.json"
        _ = try await latchkey(["guest"], server: server, session: guest)
        _ = try await latchkey(["redeem", ProgramTests.link, "--email", "a@b.c"], server: server)
        let dry = try await latchkey(["merge", "--guest-session", guest, "--dry-run"], server: server)
        #expect(dry.output.hasPrefix("Nothing has changed.\nWould move from the guest u1:\n"))
        #expect(FileManager.default.fileExists(atPath: guest))
        let merge = try await latchkey(["merge", "--guest-session", guest], server: server)
        #expect(merge.status == 0 && merge.output == "The guest is merged into this account.\n" + Self.shown)
        #expect(!FileManager.default.fileExists(atPath: guest))
        let sent = server.requests(for: ":merge")
        #expect(sent.allSatisfy { $0["idToken"] == Self.ownerToken && $0["anonymousIdToken"] == Self.guestToken })
        let again = try await latchkey(["merge", "--guest-session", guest], server: server)
        #expect(again.status == 1 && again.error.contains("There is no session in \(guest)"))
    }

    @Test func `only a guest is merged, and only into an account`() async throws {
        defer { cleanUp() }
        let server = try server()
        let guest = folder + "/guest.json"
        _ = try await latchkey(["guest"], server: server, session: guest)
        let nobody = try await latchkey(["merge", "--guest-session", guest], server: server)
        #expect(nobody.status == 1 && nobody.error.contains("You are not signed in"))
        _ = try await latchkey(["guest"], server: server)
        let intoGuest = try await latchkey(["merge", "--guest-session", guest], server: server)
        #expect(intoGuest.status == 1 && intoGuest.error.contains("You are signed in as a guest."))
        _ = try await latchkey(["redeem", ProgramTests.link, "--email", "a@b.c", "--sign-in"], server: server)
        let owner = try await latchkey(["merge", "--guest-session", session], server: server)
        #expect(owner.status == 1 && owner.error.contains("which is not a guest"))
        #expect(server.requests(for: ":merge").isEmpty)
    }

    @Test func `documents are written, read and listed as JSON that keeps its numbers`() async throws {
        defer { cleanUp() }
        let json = #"{"b":12345678901234567890,"a":[1.10,{}],"x":"\u001b\u009b\u202e"}"#
        let server = try server { request in
            switch (request.method, request.path) {
            case ("DELETE", _): .raw("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            case (_, "/v1/documents/favourites/number"): .json(json, headers: ["ETag": #""17""#])
            case (_, "/v1/documents?pageSize=100&collection=favourites"):
                .json(
                    #"{"documents":[{"collection":"favourites","id":"number","version":"17","document":\#(json)}]}"#
                )
            default: nil
            }
        }
        _ = try await latchkey(["guest"], server: server)
        let set = try await latchkey(["documents", "set", "favourites/number", json], server: server)
        #expect(set.status == 0 && set.output == "favourites/number is written, version 17.\n")
        #expect(server.requests.first { $0.method == "PUT" }?.body == Array(json.utf8))

        let get = try await latchkey(["documents", "get", "favourites/number"], server: server)
        let escaped = #""\u001b\u009b\u202e""#
        #expect(
            get.output == """
                {
                  "b": 12345678901234567890,
                  "a": [
                    1.10,
                    {}
                  ],
                  "x": \(escaped)
                }

                """
        )
        let line = #"{"collection":"favourites","id":"number","version":"17","document":\#(json)}"# + "\n"
        let list = try await latchkey(["documents", "list", "favourites", "--json"], server: server)
        #expect(list.output.replacing("\u{9B}", with: #"\u009b"#).replacing("\u{202E}", with: #"\u202e"#) == line)

        for (words, input) in [(["-"], json), ([], json), (["--file", folder + "/d.json"], "")] {
            try Data(json.utf8).write(to: URL(filePath: folder + "/d.json"))
            let words = ["documents", "update", "favourites/number"] + words + ["--if-version", "17"]
            #expect(try await latchkey(words, server: server, input: input).status == 0)
        }
        let patches = server.requests.filter { $0.method == "PATCH" }
        #expect(patches.map(\.body) == [Array](repeating: Array(json.utf8), count: 3))
        #expect(patches.allSatisfy { $0.headers["if-match"] == #""17""# })
        let delete = try await latchkey(["documents", "delete", "favourites/number"], server: server)
        #expect(delete.status == 0 && delete.output == "favourites/number is deleted.\n")
    }

    @Test func `sessions are listed for people and scripts, and ended by their ids`() async throws {
        defer { cleanUp() }
        let listed = """
            {"sessions":[{"id":"s1","device":"Firefox · Linux","signInProvider":"password",\
            "createdAt":"2026-11-21T10:00:00.000Z","lastUsedAt":"2026-11-22T11:30:00.500Z","current":true},\
            {"id":"s2","signInProvider":"password","createdAt":"2026-11-20T10:00:00.000Z",\
            "lastUsedAt":"2026-11-20T10:00:00.000Z","current":false}]}
            """
        let server = try server { request in
            switch (request.method, request.path) {
            case ("GET", "/v1/sessions"): .json(listed)
            case ("DELETE", "/v1/sessions/s2"): .raw("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            case ("DELETE", _): .error("SESSION_NOT_FOUND", status: 404)
            default: nil
            }
        }
        _ = try await latchkey(["guest"], server: server)
        let list = try await latchkey(["sessions", "list"], server: server)
        #expect(
            list.output == """
                Firefox · Linux  (this session)
                  id         s1
                  created    2026-11-21T10:00:00Z
                  last used  2026-11-22T11:30:00Z
                Unknown device
                  id         s2
                  created    2026-11-20T10:00:00Z
                  last used  2026-11-20T10:00:00Z

                """
        )
        let json = try await latchkey(["sessions", "list", "--json"], server: server).output
        #expect(json.contains("\"id\":\"s2\"") && json.contains("\"current\":true"), "\(json)")
        let end = try await latchkey(["sessions", "end", "s2"], server: server)
        #expect(end.status == 0 && end.output == "The session has ended.\n")
        let unknown = try await latchkey(["sessions", "end", "s3"], server: server)
        #expect(unknown.status == 1 && unknown.error.contains("You have no such session."))
    }

    @Test func `changes are printed as they happen, and the end has a reason`() async throws {
        defer { cleanUp() }
        let stream = """
            HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
            id: 5\nevent: ready\ndata:\n\n\
            id: 6\nevent: change\ndata: {"collection":"a","id":"b","version":"6","document":{"n":42}}\n\n\
            id: 7\nevent: change\ndata: {"collection":"a","id":"b","deleted":true}\n\n\
            event: end\ndata: {"reason":"user.merged","mergedInto":"u2"}\n\n
            """
        let server = try server { $0.path.hasPrefix("/v1/documents:listen") ? .raw(stream) : nil }
        _ = try await latchkey(["guest"], server: server)
        let once = try await latchkey(["documents", "listen", "--count", "1"], server: server)
        #expect(once.status == 0 && once.output == "a/b  {\"n\":42}\n" && once.error == "Listening.\n")
        let ended = try await latchkey(["documents", "listen", "--json"], server: server)
        #expect(ended.status == 1 && ended.error.contains(#""code":"user.merged""#))
        #expect(
            ended.output.split(separator: "\n") == [
                #"{"event":"ready","number":"5"}"#,
                #"{"event":"changed","collection":"a","id":"b","version":"6","document":{"n":42}}"#,
                #"{"event":"deleted","collection":"a","id":"b","number":"7"}"#,
                #"{"event":"ended","reason":"user.merged","mergedInto":"u2"}"#,
            ]
        )
    }

    @Test func `a username is claimed, asked for and given back`() async throws {
        defer { cleanUp() }
        let server = try server { request in
            switch request.path {
            case "/v1/accounts:setUsername":
                request["username"].map { .json(#"{"localId":"u1","username":"\#($0)"}"#) }
                    ?? .json(#"{"localId":"u1"}"#)
            case "/v1/usernames/ann": .json(#"{"username":"Ann","available":false,"localId":"u1"}"#)
            default: nil
            }
        }
        _ = try await latchkey(["guest"], server: server)
        #expect(try await latchkey(["username", "Ann"], server: server).output == "Your username is Ann.\n")
        #expect(
            try await latchkey(["username", "ann", "--find"], server: server).output == "Ann belongs to user u1.\n"
        )
        #expect(try await latchkey(["username", "--release"], server: server).output == "You have no username.\n")
        #expect(try await latchkey(["username", "--json"], server: server).output == #"{"uid":"u1"}"# + "\n")
    }

    @Test(
        arguments: [
            ["documents", "get", "favourites"], ["documents", "get", "a/b/c"], ["documents", "set"],
            ["documents", "set", "a/b", "{}", "--file", "x"], ["documents", "set", "a/b", "{}", "--if-version", "x"],
            ["documents", "set", "a/b", "{}", "--if-version", "1", "--if-absent"],
            ["documents", "listen", "--count", "0"],
            ["merge"], ["username", "Ann", "--release"], ["username", "--find"],
        ]
    )
    func `wrong usage ends with status 2 and asks no server`(words: [String]) async throws {
        defer { cleanUp() }
        let server = try server()
        let result = try await latchkey(words, server: server)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(server.requests.isEmpty)
    }

    @Test(
        arguments: [
            ("DOCUMENT_NOT_FOUND", "There is no such document"), ("PRECONDITION_FAILED", "has another version"),
            ("MERGE_IN_PROGRESS", "being merged"), ("DOCUMENT_QUOTA_EXCEEDED", "cannot be stored"),
        ]
    )
    func `a refusal is a sentence, the code, and status 1`(serverCode: String, sentence: String) async throws {
        defer { cleanUp() }
        let server = try server { $0.path.hasPrefix("/v1/documents") ? .error(serverCode, status: 409) : nil }
        _ = try await latchkey(["guest"], server: server)
        let result = try await latchkey(["documents", "get", "a/b"], server: server)
        #expect(result.status == 1 && result.error.contains(sentence) && result.error.contains("[\(serverCode)]"))
    }
}
