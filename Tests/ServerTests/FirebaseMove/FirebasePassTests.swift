import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Telemetry
import Testing

@testable import Server

@Suite("Move from Firebase: the phase pass")
struct FirebasePassTests {
    @Test func `calls go to Firebase, rebuilt from their fields, and make no users here`() async throws {
        try await FirebaseWorld.run(.pass, settings: ["CORS_ORIGINS": "https://app.example.com"]) { world in
            let guest = try world.call(
                "accounts:signUp",
                ["returnSecureToken": true],
                headers: [
                    "Origin: https://app.example.com", "X-Firebase-AppCheck: check", "Cookie: secret=1",
                ]
            )
            #expect(guest.status == 200 && guest["localId"] != "", "\(guest.text)")
            let question = try #require(world.firebase.questions.first)
            #expect(question.query == "key=\(FirebaseWorld.key)")
            #expect(question.headers["referer"] == "https://app.example.com/")
            #expect(question.headers["x-firebase-appcheck"] == "check")
            #expect(question.headers["x-client-version"]?.contains("/JsCore/") == true)
            #expect(question.headers["cookie"] == nil && question.headers["authorization"] == nil)

            let user = try world.lookup(guest["idToken"])
            #expect(user.json["users"]?.array?.first?["localId"]?.string == guest["localId"], "\(user.text)")
            let refreshed = try world.refresh(guest["refreshToken"])
            #expect(refreshed["refresh_token"] == guest["refreshToken"] && refreshed["user_id"] == guest["localId"])
            #expect(try Claims(refreshed["id_token"])["iss"] == "https://securetoken.google.com/old")
            #expect(try world.count("users") == 0 && world.count("sessions") == 0)
            try world.new.eventually("the user is recorded") { try world.count("firebase_users") == 1 }
            try world.new.withOperator { desk in
                let report = try desk.firebaseStatus(limit: 9)
                #expect(report.phase == "pass" && report.unmovedUsers == 1 && report.unmovedGuests == 1)
                #expect(report.unmoved.first?.uid == guest["localId"] && report.unmoved.first?.seenAt != nil)
                #expect(report.signUpsThisHour == 1)
            }
            // The same browser moves when the phase changes, with the page still open.
            try world.change(to: .adopt)
            let moved = try world.refresh(guest["refreshToken"])
            #expect(moved["user_id"] == guest["localId"], "\(moved.text)")
            #expect(try Claims(moved["id_token"])["iss"] == "https://securetoken.google.com/demo-latchkey")
        }
    }

    @Test func `what carries a token or code of ours stays here`() async throws {
        try await FirebaseWorld.run(.adopt) { world in
            let own = try world.new.guest()
            let link = try world.new.askForLink("ann@example.com")
            try world.change(to: .pass)
            #expect(try world.lookup(own.idToken).status == 200)
            #expect(try world.refresh(own.refreshToken).status == 200)
            let signedIn = try world.call(
                "accounts:signInWithEmailLink",
                ["oobCode": .string(link.oobCode), "email": "ann@example.com"]
            )
            #expect(signedIn.status == 200, "\(signedIn.text)")
            #expect(world.firebase.questions.isEmpty)
            // Administrators' calls stay too.
            #expect(try world.new.find(uid: own.uid)["localId"]?.string == own.uid)
            #expect(world.firebase.questions.isEmpty)
        }
    }

    @Test func `no call of a project or with a bearer is forwarded, and no origin that is not named`() async throws {
        try await FirebaseWorld.run(.pass, settings: ["CORS_ORIGINS": "https://app.example.com"]) { world in
            let stored = try world.guest()
            let token = JSONValue.string(stored.idToken)
            for (name, headers) in [
                ("projects/old/accounts:lookup", []), ("projects/old/accounts:lookup", ["Authorization: Bearer owner"]),
                ("projects/old/accounts", []), ("accounts:lookup", ["Authorization: Bearer \(stored.idToken)"]),
                ("accounts:exchangeFirebaseToken", []), ("accounts:merge", []),
            ] as [(String, [String])] {
                _ = try world.call(name, ["idToken": token], headers: headers)
                #expect(world.firebase.questions.isEmpty, "\(name) \(headers)")
            }
            _ = try world.call("accounts:lookup", ["idToken": token], headers: ["Origin: https://other.example.com"])
            #expect(world.firebase.questions.allSatisfy { $0.headers["referer"] == nil && $0.headers["origin"] == nil })
        }
    }

    @Test func `a month after the end the records of the move are deleted, and it cannot go on`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            let token = try world.move(stored)
            // The operator's command has the server's clock here.
            var environment = InstanceEnvironment()
            environment.clock = world.new.clock.now
            let desk = try Operator(
                file: world.new.file,
                environment: world.new.environment,
                instanceEnvironment: environment
            )
            defer { desk.close() }
            func change(to phase: FirebasePhase) throws {
                try desk.setFirebasePhase(phase.rawValue)
                try world.new.eventually("the phase") { world.new.instance.services.firebaseMove?.phase == phase }
            }
            let services = world.new.instance.services
            let page = MetricsPage(services: services, connections: { [] }, certificateExpiry: { nil })
            func metrics() -> String { String(decoding: page.text(.prometheus).bytes, as: UTF8.self) }
            try world.importUser(world.linked("ann@example.com").uid)
            world.new.clock.advance(seconds: 61)
            try world.new.eventually("the gauges") { metrics().contains("latchkey_firebase_unmoved_users 1") }
            try change(to: .off)
            // The alerts on these gauges would fire for good.
            try world.new.eventually("no gauges") { !metrics().contains("latchkey_firebase_unmoved_users") }
            #expect(!metrics().contains("latchkey_firebase_oldest_unmoved_seconds"))
            #expect(try desk.firebaseStatus(limit: 9).unmovedUsers == 1)
            world.new.clock.advance(seconds: 29 * 86_400)
            // The operator may still change the decision, and the session is found as before.
            try change(to: .adopt)
            #expect(try world.move(stored) == token)
            try change(to: .off)
            world.new.clock.advance(seconds: 30 * 86_400 + 60)
            #expect(throws: Operator.Failure.self) { try desk.setFirebasePhase("adopt") }
            #expect(try world.count("adopted_tokens") == 1)
            world.new.clock.advance(seconds: 86_400)
            try world.new.eventually("the records are deleted") {
                try ["adopted_sessions", "adopted_tokens", "firebase_users"].allSatisfy { try world.count($0) == 0 }
            }
            let report = try desk.firebaseStatus(limit: 9)
            #expect(report.isOver && report.unmovedUsers == 0 && report.unmoved.isEmpty, "no imported user is to move")
            #expect(!metrics().contains("latchkey_firebase_unmoved_users"))
            #expect(FirebaseWorld.code(try world.refresh(stored.refreshToken)) == "TOKEN_EXPIRED")
            #expect(try world.refresh(token).status == 200)
        }
    }

    @Test func `an answer about another user is not passed on`() async throws {
        try await FirebaseWorld.run(.pass) { world in
            let ann = try world.guest(), bob = try world.guest()
            let other = #"{"users":[{"localId":"\#(bob.uid)"}]}"#
            world.firebase.behave(.say(status: 200, other), to: "accounts:lookup")
            #expect(FirebaseWorld.isUndecided(try world.lookup(ann.idToken)))
        }
    }

    @Test func `Firebase's own refusals are passed on, and endings only to the calls that they end`() async throws {
        try await FirebaseWorld.run(.pass) { world in
            let stored = try world.guest()
            for code in ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND"] {
                world.firebase.behave(.say(status: 400, #"{"error":{"code":400,"message":"\#(code)"}}"#))
                #expect(try world.refresh(stored.refreshToken).code == code)
                #expect(try world.lookup(stored.idToken).code == code)
            }
            world.firebase.behave(.say(status: 400, #"{"error":{"code":400,"message":"EMAIL_NOT_FOUND"}}"#))
            #expect(FirebaseWorld.isUndecided(try world.lookup(stored.idToken)))
            let signIn = try world.call("accounts:signInWithPassword", ["email": "a@example.com", "password": "x"])
            #expect(signIn.code == "EMAIL_NOT_FOUND")
        }
    }

    @Test func `our own limits come first`() async throws {
        try await FirebaseWorld.run(.pass, settings: ["LIMITS_GUESTS_PER_CLIENT": "2"]) { world in
            let codes = try (0..<3).map { _ in try world.call("accounts:signUp", [:]).code }
            #expect(codes == ["ok", "ok", "TOO_MANY_ATTEMPTS_TRY_LATER"])
            #expect(world.firebase.count("signUp") == 2)
        }
    }

    @Test func `a network asks sixty times at once, and then once a second`() async throws {
        try await FirebaseWorld.run(.pass) { world in
            let stored = try world.guest()
            let start = ContinuousClock.now
            var accepted = 0, answer = try world.refresh(stored.refreshToken)
            while answer.status == 200, accepted < 1000 {
                accepted += 1
                answer = try world.refresh(stored.refreshToken)
            }
            // A busy machine asks so slowly that more than sixty questions are allowed meanwhile.
            let seconds = Int((ContinuousClock.now - start).components.seconds)
            #expect((60...61 + seconds).contains(accepted), "\(accepted) questions in \(seconds) s")
            #expect(FirebaseWorld.isUndecided(answer))
            #expect(world.firebase.questions.count == accepted)
        }
    }

    @Test func `clean-up spares guests of Firebase until the phase is off`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest(), own = try world.new.guest()
            try world.importUser(stored.uid)
            try world.new.withOperator { _ = try $0.changeCleanup(isOn: true, days: 1) }
            world.new.clock.advance(seconds: 3 * 86_400)
            try world.new.eventually("the server's own guest is gone") {
                try world.new.withDatabase { try $0.user(own.uid) } == nil
            }
            #expect(try world.new.withDatabase { try $0.user(stored.uid) } != nil)
            try world.change(to: .off)
            world.new.clock.advance(seconds: 2 * 86_400)
            try world.new.eventually("Firebase's guest is gone") {
                try world.new.withDatabase { try $0.user(stored.uid) } == nil
            }
        }
    }

    @Test func `status names who was at Firebase after the move`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            try world.move(stored)
            world.new.clock.advance(seconds: 3600)
            // Old code of the app, which asks Firebase itself.
            let token = String(stored.refreshToken.dropFirst(4).reversed())
            #expect(try world.old.refresh(token).status == 200)
            try world.importUser(stored.uid)
            try world.new.withOperator { desk in
                let report = try desk.firebaseStatus(limit: 9)
                #expect(report.returning.map(\.uid) == [stored.uid])
                #expect(report.moved.map(\.uid) == [stored.uid] && report.moved.first?.movedAt != nil)
            }
        }
    }

    @Test func `the phase is in the audit log, and metrics count what happens`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            try world.move(stored)
            let audited = try world.new.withDatabase { transaction in
                try transaction.all("SELECT detail FROM audit_log WHERE event = 'firebase.phase-changed'") {
                    try $0.text(0)
                }
            }
            #expect(audited == ["adopt"])
            let services = world.new.instance.services
            let page = MetricsPage(services: services, connections: { [] }, certificateExpiry: { nil })
            let text = String(decoding: page.text(.prometheus).bytes, as: UTF8.self)
            #expect(text.contains("latchkey_firebase_moved_sessions_total 1"))
            #expect(text.contains(#"latchkey_firebase_questions_total{outcome="answered"} 2"#))
            #expect(text.contains("latchkey_firebase_paused 0"))
        }
    }

    @Test func `while the move is off nothing says that Firebase does not answer`() async throws {
        try await FirebaseWorld.run { world in
            let stored = try world.guest()
            world.firebase.behave(.say(status: 500, "{}"))
            for _ in 0..<6 { _ = try world.refresh(stored.refreshToken) }
            let services = world.new.instance.services
            let page = MetricsPage(services: services, connections: { [] }, certificateExpiry: { nil })
            func isPaused() -> Bool {
                String(decoding: page.text(.prometheus).bytes, as: UTF8.self).contains("\nlatchkey_firebase_paused 1\n")
            }
            #expect(isPaused())
            try world.change(to: .off)
            #expect(!isPaused())
        }
    }
}
