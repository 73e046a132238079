import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import PostgreSQLHarness
import Testing

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
    ///   - settings: further settings of the new side.
    static func run(
        _ phase: FirebasePhase = .adopt,
        more: String = "",
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
                    try TestServer.serve(
                        ["PROJECT_ID": "old", "SIGNING_ALGORITHM": "RS256"],
                        folder: oldFolder,
                        database: TestDatabase(in: oldFolder.path, engine: .sqlite),
                        clock: clock
                    ) { old in
                        let firebase = try FirebaseStandIn(before: old.port)
                        defer { firebase.stop() }
                        let file = """
                            { firebase: { project: 'old', exchangeUntil: '\(ExchangeTests.day(in: 60))',
                              apiKeys: ['\(key)'], upstream: 'http://127.0.0.1:\(firebase.port)', \(more) } }
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
