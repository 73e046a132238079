import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Testing
import Tokens

@testable import Server

/// A project at Firebase, and a server to which its users move, with one clock.
struct FirebaseWorld: Sendable {
    /// A session at Firebase, as a browser has stored it.
    struct Stored: Sendable {
        let uid: String
        let idToken: String
        /// In the shape of Firebase's.
        let refreshToken: String

        init(_ tokens: Tokens) {
            uid = tokens.uid
            idToken = tokens.idToken
            refreshToken = FirebaseStandIn.wrapped(tokens.refreshToken)
        }
    }

    static let key = "AIza-old"

    let old: TestServer
    let firebase: FirebaseStandIn
    let new: TestServer

    /// Runs both sides.
    ///
    /// - Parameters:
    ///   - phase: the phase from the beginning.
    ///   - more: further settings below `firebase`, as JSON5.
    ///   - forges: whether Firebase's tokens may also be signed by the test (``forge(_:at:_:)``).
    ///   - settings: further settings of the new side.
    static func run(
        _ phase: FirebasePhase = .adopt,
        more: String = "",
        forges: Bool = false,
        settings: [String: String] = [:],
        _ body: @escaping @Sendable (FirebaseWorld) throws -> Void
    ) async throws {
        try await TestServer.gate.pass {
            try await TestServer.inThread {
                try TestServer.inFolder { folder in
                    let clock = TestClock()
                    let oldFolder = folder.appendingPathComponent("old"),
                        newFolder = folder.appendingPathComponent("new")
                    for folder in [oldFolder, newFolder] {
                        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                    }
                    let database = try TestDatabase(in: oldFolder.path, isMigrated: false, engine: .sqlite)
                    try oldFile.get().write(to: oldFolder.appendingPathComponent(fileName))
                    try TestServer.serve(
                        oldSettings,
                        folder: oldFolder,
                        database: database,
                        clock: clock
                    ) { old in
                        let firebase = try FirebaseStandIn(before: old.port)
                        defer { firebase.stop() }
                        let keys = forges ? "keysFile: '\(try keysFile(of: old, in: folder))'," : ""
                        let file = """
                            { firebase: { project: 'old', exchangeUntil: '\(ExchangeTests.day(in: 60))',
                              apiKeys: ['\(key)'], upstream: 'http://127.0.0.1:\(firebase.port)', \(keys) \(more) } }
                            """
                        try TestServer.serve(
                            settings,
                            file: file,
                            folder: newFolder,
                            database: TestDatabase(in: newFolder.path),
                            clock: clock
                        ) { new in
                            let world = FirebaseWorld(old: old, firebase: firebase, new: new)
                            if phase != .pass { try world.change(to: phase) }
                            try body(world)
                        }
                    }
                }
            }
        }
    }

    private static let oldSettings = ["PROJECT_ID": "old", "SIGNING_ALGORITHM": "RS256", "SECRET": TestServer.secret]
    private static let fileName = "latchkey.db"

    /// The database file of the old side after its first start, which makes an RSA key and therefore takes long.
    private static let oldFile = Result {
        try TestServer.inFolder { folder in
            let database = try TestDatabase(in: folder.path, engine: .sqlite)
            try TestServer.serve(oldSettings, folder: folder, database: database) { _ in }
            return try Data(contentsOf: folder.appendingPathComponent(fileName))
        }
    }

    /// Changes the phase, and waits until the server follows.
    func change(to phase: FirebasePhase) throws {
        try new.withOperator { try $0.setFirebasePhase(phase.rawValue) }
        try new.eventually("the phase") { new.instance.services.firebaseMove?.phase == phase }
    }

    // MARK: The old side

    /// A guest with a session at Firebase.
    func guest() throws -> Stored { Stored(try old.guest(headers: [TestServer.webSDK])) }

    /// A user with an address and a session at Firebase.
    func linked(_ email: String) throws -> Stored { Stored(try old.signIn(email, headers: [TestServer.webSDK])) }

    /// Writes the keys of the old side, and one that the test has, to a file, and returns its path.
    private static func keysFile(of old: TestServer, in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("keys.json")
        let own = try JSONValue.parse(KeySet(signer: ExchangeTests.key.get().key, others: []).jwks)
        let sets = try [old.send("GET", "/.well-known/jwks.json").json, own]
        let set: JSONValue = ["keys": .array(sets.flatMap { $0["keys"]?.array ?? [] })]
        try Data(set.serialized()).write(to: file)
        return file.path
    }

    /// Makes an ID token of Firebase, as an attacker does who holds the project's key.
    ///
    /// - Parameters:
    ///   - uid: the user.
    ///   - authTime: when the session began, in seconds since 1970.
    ///   - change: claims that differ from those of a sign-in with Google.
    func forge(_ uid: String, at authTime: Int64, _ change: JSONValue = [:]) throws -> String {
        var claims = try #require(
            ExchangeTests.claims(
                uid,
                at: new.clock.now() / 1000,
                ["iss": "https://securetoken.google.com/old", "aud": "old", "auth_time": .number(JSONNumber(authTime))]
            ).object
        )
        for member in change.object?.members ?? [] { claims[member.name] = member.value }
        return try ExchangeTests.key.get().signNamingKey(.object(claims))
    }

    /// Lets Firebase's look-up answer with a user.
    func describe(_ uid: String, _ members: String = "") {
        firebase.behave(.say(status: 200, #"{"users":[{"localId":"\#(uid)"\#(members)}]}"#), to: "accounts:lookup")
    }

    /// Imports a user of Firebase's.
    func importUser(_ uid: String) throws {
        let user = try old.find(uid: uid)
        let text = #"{"users":["# + String(decoding: user.serialized(), as: UTF8.self) + "]}"
        var rest = Array(text.utf8)
        try new.withOperator { desk in
            let report = try desk.importUsers(
                replaces: false,
                takesGuests: true,
                read: {
                    defer { rest = [] }
                    return rest
                },
                progress: { _ in }
            )
            #expect(report.stopped == nil)
        }
    }

    // MARK: The app, whose SDK calls the new side

    /// `POST /v1/token`.
    func refresh(_ token: String, key: String = key, headers: [String] = []) throws -> Answer {
        try new.send(
            "POST",
            "/securetoken.googleapis.com/v1/token?key=\(key)",
            headers: ["Content-Type: application/x-www-form-urlencoded", TestServer.webSDK] + headers,
            body: Array("grant_type=refresh_token&refresh_token=\(token)".utf8)
        )
    }

    /// A call of Identity Toolkit.
    func call(_ name: String, _ body: JSONValue, key: String = key, headers: [String] = []) throws -> Answer {
        try new.send(
            "POST",
            "/identitytoolkit.googleapis.com/v1/\(name)?key=\(key)",
            headers: ["Content-Type: application/json", TestServer.webSDK] + headers,
            body: body.serialized()
        )
    }

    func lookup(_ idToken: String) throws -> Answer { try call("accounts:lookup", ["idToken": .string(idToken)]) }

    /// Moves a session, and returns the answer's refresh token.
    @discardableResult
    func move(_ stored: Stored) throws -> String {
        let answer = try refresh(stored.refreshToken)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["user_id"] == stored.uid)
        return answer["refresh_token"]
    }

    /// Moves a guest's session, and merges the guest into a new user of Latchkey.
    func moveAndMerge(_ guest: Stored) throws {
        let idToken = try refresh(move(guest))["id_token"]
        let owner = try new.signIn("ann@example.com")
        let merged = try new.call(
            "accounts:merge",
            ["idToken": .string(owner.idToken), "anonymousIdToken": .string(idToken)]
        )
        #expect(merged.status == 200, "\(merged.text)")
    }

    /// Whether an answer makes no SDK forget its user: text, with CORS headers.
    static func isUndecided(_ answer: Answer) -> Bool {
        answer.status == 503 && answer.header("content-type")?.hasPrefix("text/plain") == true
            && answer.header("retry-after") != nil && answer.json.object == nil
    }

    /// The code that the app gets; `undecided` for text.
    static func code(_ answer: Answer) -> String { isUndecided(answer) ? "undecided" : answer.code }

    func count(_ table: String) throws -> Int64 {
        try new.withDatabase { transaction in
            try transaction.first("SELECT count(*) FROM \(identifier: table)") { try $0.integer(0) } ?? 0
        }
    }
}
