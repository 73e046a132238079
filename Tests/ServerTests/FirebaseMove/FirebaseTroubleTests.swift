import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Network
import Testing
import Transfer

@testable import Server

@Suite("Move from Firebase: nobody is signed out by accident")
struct FirebaseTroubleTests {
    /// Answers of Firebase that say nothing about a user.
    ///
    /// Those that the breaker counts alternate with others, so that it does not open.
    private static let troubles: [(String, FirebaseStandIn.Manner)] = [
        ("an error of its own", .say(status: 500, #"{"error":{"code":500,"message":"INTERNAL"}}"#)),
        ("quota in a 400", .say(status: 400, #"{"error":{"code":400,"message":"QUOTA_EXCEEDED : Exceeded quota."}}"#)),
        ("unavailable", .say(status: 503, #"{"error":{"code":503,"message":"UNAVAILABLE"}}"#)),
        (
            "a key refused",
            .say(status: 400, #"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}"#)
        ),
        ("out of quota", .say(status: 429, #"{"error":{"code":429,"message":"RESOURCE_EXHAUSTED"}}"#)),
        (
            "a blocked referrer",
            .say(status: 403, #"{"error":{"code":403,"message":"Requests from referer <empty> are blocked."}}"#)
        ),
        ("a page", .say(status: 200, "<html>Sign in to the hotel's network</html>", type: "text/html")),
        ("an unknown code", .say(status: 400, #"{"error":{"code":400,"message":"PROJECT_NOT_FOUND"}}"#)),
        ("a lost answer", .lose),
        ("an empty object", .say(status: 200, "{}")),
        (
            "an answer without end",
            .say(status: 200, #"{"users":[],"x":""# + String(repeating: "x", count: 2 << 20) + #""}"#)
        ),
        ("half of the tokens", .say(status: 200, #"{"access_token":"a.b.c","id_token":"a.b.c"}"#)),
    ]

    @Test func `in every phase each trouble of Firebase is text, and the next call succeeds`() async throws {
        for phase in [FirebasePhase.pass, .adopt] {
            try await FirebaseWorld.run(phase) { world in
                let stored = try world.guest()
                // The keys of Firebase's tokens are known from here on.
                if phase == .adopt { try world.move(try world.guest()) }
                for (name, manner) in Self.troubles {
                    world.firebase.behave(manner)
                    let asked = world.firebase.questions.count
                    let answer = try world.refresh(stored.refreshToken)
                    #expect(FirebaseWorld.isUndecided(answer), "\(phase), \(name): \(answer.status) \(answer.text)")
                    let user = try world.lookup(stored.idToken)
                    #expect(FirebaseWorld.isUndecided(user), "\(phase), \(name): \(user.status) \(user.text)")
                    #expect(world.firebase.questions.count == asked + 2, "\(phase), \(name)")
                }
                // A redirect, which names the same call here, is not followed.
                let port = world.firebase.port
                world.firebase.behave(.redirect("http://127.0.0.1:\(port)/securetoken.googleapis.com/v1/token"))
                let asked = world.firebase.questions.count
                #expect(FirebaseWorld.isUndecided(try world.refresh(stored.refreshToken)))
                #expect(world.firebase.questions.count == asked + 1)
                world.firebase.recover()
                #expect(try world.refresh(stored.refreshToken)["user_id"] == stored.uid)
                #expect(try world.lookup(stored.idToken).status == 200)
                for token in [stored.refreshToken, stored.idToken] {
                    #expect(!world.new.log.contains(token), "no old token is logged, whatever happens")
                }
            }
        }
    }

    @Test(arguments: [FirebasePhase.pass, .adopt])
    func `a header field with a control character does not stop the questions of all clients`(
        phase: FirebasePhase
    ) async throws {
        try await FirebaseWorld.run(phase) { world in
            let stored = try world.guest()
            for value in ["a\u{1}b", "a\u{7F}b", "\u{1B}[31m"] {
                for _ in 0..<3 {
                    let answer = try world.refresh(stored.refreshToken, headers: ["X-Firebase-Client: \(value)"])
                    #expect(answer.status == 200, "\(answer.text)")
                }
            }
            let other = try world.guest()
            #expect(try world.refresh(other.refreshToken)["user_id"] == other.uid)
            #expect(world.firebase.questions.allSatisfy { $0.headers["x-firebase-client"] == nil })
        }
    }

    @Test func `web pages may read what is undecided, so that the SDK sees no trouble of the network`() async throws {
        for phase in [FirebasePhase.pass, .adopt] {
            try await FirebaseWorld.run(phase, settings: ["CORS_ORIGINS": "https://app.example.com"]) { world in
                let stored = try world.guest()
                world.firebase.behave(.say(status: 500, "{}"))
                for (key, status) in [(FirebaseWorld.key, 503), ("AIza-other", 403)] {
                    let answer = try world.refresh(
                        stored.refreshToken,
                        key: key,
                        headers: ["Origin: https://app.example.com"]
                    )
                    #expect(answer.status == status && answer.json.object == nil, "\(answer.text)")
                    #expect(["*", "https://app.example.com"].contains(answer.header("access-control-allow-origin")))
                }
            }
        }
    }

    @Test func `while Firebase is down it is asked only now and then, and the log and status say so`() async throws {
        try await FirebaseWorld.run(.pass) { world in
            let stored = try world.guest()
            world.firebase.behave(.say(status: 500, "{}"))
            for _ in 0..<20 { #expect(FirebaseWorld.isUndecided(try world.refresh(stored.refreshToken))) }
            #expect((5..<20).contains(world.firebase.questions.count))
            #expect(world.new.log.contains("firebase.paused"))
            try world.new.eventually("status says so") {
                var isPaused = false
                try world.new.withOperator { isPaused = try $0.firebaseStatus(limit: 0).isPaused }
                return isPaused
            }
            world.firebase.recover()
            try world.new.eventually("Firebase is asked again") { try world.refresh(stored.refreshToken).status == 200 }
            #expect(world.new.log.contains("firebase.back"))
        }
    }

    @Test func `pages in answer to one client's questions stop no other client's`() async throws {
        try await FirebaseWorld.run(.pass) { world in
            let stored = try world.guest()
            world.firebase.behave(.say(status: 414, "<html>The URL is too long</html>", type: "text/html"))
            for _ in 0..<8 { #expect(FirebaseWorld.isUndecided(try world.refresh(stored.refreshToken))) }
            #expect(!world.new.log.contains("firebase.paused"))
            world.firebase.recover()
            #expect(try world.refresh(stored.refreshToken).status == 200)
        }
    }

    @Test func `while Firebase is slow, other calls are answered at once`() async throws {
        try await FirebaseWorld.run { world in
            let known = try world.guest()
            let token = try world.move(known)
            let signal = DispatchSemaphore(value: 0)
            defer { signal.signal() }
            world.firebase.behave(.hold(signal), to: "/v1/token")
            let stored = try (0..<8).map { _ in try world.guest() }
            let waiting = try stored.map { stored in
                let connection = try HTTPConnection(port: world.new.port)
                try connection.send(
                    TestServer.request(
                        "POST",
                        "/v1/token?key=\(FirebaseWorld.key)",
                        headers: ["Content-Type: application/x-www-form-urlencoded", TestServer.webSDK],
                        body: Array("grant_type=refresh_token&refresh_token=\(stored.refreshToken)".utf8)
                    )
                )
                return connection
            }
            try world.new.eventually("Firebase is being asked") { world.firebase.count("/v1/token") == 9 }
            #expect(try world.refresh(token).status == 200)
            #expect(try world.new.guest().uid != "")
            #expect(world.firebase.count("accounts:lookup") == 1, "the slow answers have not come yet")
            signal.signal()
            for (connection, stored) in zip(waiting, stored) {
                #expect(try connection.answer()["user_id"] == stored.uid)
            }
        }
    }

    @Test func `questions that Firebase does not answer end at their deadline, and open the breaker`() async throws {
        let firebase = try FirebaseStandIn(before: 0)
        let signal = DispatchSemaphore(value: 0)
        defer {
            signal.signal()
            firebase.stop()
        }
        firebase.behave(.hold(signal))
        let configuration = try Configuration.load(
            file: nil,
            environment: [
                "LATCHKEY_FIREBASE_PROJECT": "old", "LATCHKEY_FIREBASE_EXCHANGE_UNTIL": ExchangeTests.day(in: 9),
                "LATCHKEY_FIREBASE_API_KEYS": "k", "LATCHKEY_FIREBASE_UPSTREAM": "http://127.0.0.1:\(firebase.port)",
            ]
        )
        let logger = Log { _ in }
        let upstream = FirebaseUpstream(
            try #require(configuration.firebase),
            configuration,
            metrics: FirebaseMetrics(),
            logger: logger,
            sampler: LogSampler(logger) { 0 },
            timeout: 300
        )
        let reasons = await withTaskGroup(of: FirebaseUndecided.Reason?.self) { group in
            for _ in 0..<FirebaseBreaker.tolerance {
                group.addTask {
                    do {
                        let question = HTTPRequest("GET", "/v1/projects?key=k", headers: [], body: nil)
                        _ = try await upstream.ask(question, of: .identityToolkit, for: .loopback)
                        return nil
                    } catch { return (error as? FirebaseUndecided)?.reason }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reasons == Array(repeating: .unavailable, count: FirebaseBreaker.tolerance))
        #expect(upstream.isPaused)
    }

    @Test(arguments: [FirebasePhase.pass, .adopt])
    func `a token that Firebase refuses is passed on and remembered for ten minutes`(
        phase: FirebasePhase
    ) async throws {
        try await FirebaseWorld.run(phase) { world in
            let stored = try world.guest()
            #expect(try world.old.call("accounts:delete", ["idToken": .string(stored.idToken)]).status == 200)
            let first = FirebaseWorld.code(try world.refresh(stored.refreshToken))
            #expect(first == "INVALID_REFRESH_TOKEN")
            let asked = world.firebase.questions.count
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == first)
            #expect(world.firebase.questions.count == asked)
            world.new.clock.advance(seconds: 601)
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == first)
            #expect(world.firebase.questions.count == asked + 1)
            try world.new.eventually("the counts") {
                var count: Int64?
                try world.new.withOperator { count = try $0.firebaseStatus(limit: 0).refused[first] }
                return count == 3
            }
        }
    }

    @Test func `a key that is not the project's is refused as text and never forwarded`() async throws {
        for phase in [FirebasePhase.pass, .adopt] {
            try await FirebaseWorld.run(phase) { world in
                let stored = try world.guest()
                for answer in [
                    try world.refresh(stored.refreshToken, key: "AIza-other"),
                    try world.call("accounts:lookup", ["idToken": .string(stored.idToken)], key: "AIza-other"),
                ] {
                    #expect(answer.status == 403 && answer.json.object == nil, "\(answer.text)")
                }
                #expect(world.firebase.questions.isEmpty)
                #expect(world.new.log.contains("firebase.key-refused"))
            }
        }
    }

    @Test func `a token of our own shape with a bad signature is never forwarded`() async throws {
        for phase in [FirebasePhase.pass, .adopt] {
            try await FirebaseWorld.run(phase) { world in
                let answer = try world.refresh("AQ" + String(repeating: "A", count: 54))
                #expect(answer.code == "INVALID_REFRESH_TOKEN", "\(answer.text)")
                #expect(world.firebase.questions.isEmpty)
            }
        }
    }

    @Test func `after the last day old tokens get text until the phase is off`() async throws {
        try await FirebaseWorld.run { world in
            let moved = try world.guest(), stored = try world.guest()
            let token = try world.move(moved)
            world.new.clock.advance(seconds: 62 * 86_400)
            #expect(FirebaseWorld.isUndecided(try world.refresh(stored.refreshToken)))
            #expect(try world.move(moved) == token, "who has moved needs Firebase no more")
            try world.change(to: .off)
            for stored in [stored, moved] {
                #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == "TOKEN_EXPIRED")
            }
            #expect(try world.refresh(token).status == 200)
        }
    }

    @Test func `a reload moves the last day on`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            world.new.clock.advance(seconds: 62 * 86_400)
            #expect(FirebaseWorld.isUndecided(try world.refresh(stored.refreshToken)))
            let file = try #require(world.new.file)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let moved = text.replacingOccurrences(of: ExchangeTests.day(in: 60), with: ExchangeTests.day(in: 89))
            try Data(moved.utf8).write(to: URL(filePath: file))
            world.new.instance.reload { try Configuration.load(file: file, environment: world.new.environment) }
            #expect(world.new.log.contains("firebase.exchangeUntil"), "the log names it")
            try world.move(stored)
        }
    }

    @Test func `two weeks before the last day the log warns, with the sessions that have not moved`() async throws {
        try await FirebaseWorld.run(.pass) { world in
            let seen = try world.guest(), imported = try world.linked("ann@example.com")
            #expect(try world.refresh(seen.refreshToken).status == 200)
            try world.importUser(imported.uid)
            try world.new.eventually("the user is recorded") { try world.count("firebase_users") >= 1 }
            #expect(!world.new.log.contains("firebase.ending"))
            world.new.clock.advance(seconds: 48 * 86_400)
            try world.new.eventually("the warning") { world.new.log.contains("firebase.ending") }
            try world.new.withOperator { desk in
                let report = try desk.firebaseStatus(limit: 0)
                #expect(report.unmovedSessions == 1 && report.unmovedUsers == 2)
            }
        }
    }

    @Test func `a database that is away is text too`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            world.new.faults.beginOutage(.unavailable)
            #expect(FirebaseWorld.isUndecided(try world.refresh(stored.refreshToken)))
            world.new.faults.endOutage()
            try world.new.eventually("the database is back") {
                try world.refresh(stored.refreshToken)["user_id"] == stored.uid
            }
        }
    }
}
