import AccountDatabase
import Accounts
import Database
import Foundation
import JSON
import Server
import Testing
import Tokens

@Suite("Exchange of Firebase's tokens")
struct ExchangeTests {
    static let project = "old-project"
    static let key = Result { try ForeignKey() }
    /// A key in the set that Firebase does not sign with.
    static let curveKey = Result { try TokenSigningKey.generate() }

    /// Returns the claims of an ID token as Firebase makes them.
    static func claims(_ uid: String, at now: Int64, _ change: JSONValue = [:]) -> JSONValue {
        var claims = JSONObject()
        claims.append("iss", .string("https://securetoken.google.com/\(project)"))
        claims.append("aud", .string(project))
        claims.append("auth_time", .number(JSONNumber(now - 86_400)))
        claims.append("user_id", .string(uid))
        claims.append("sub", .string(uid))
        claims.append("iat", .number(JSONNumber(now)))
        claims.append("exp", .number(JSONNumber(now + 3600)))
        claims.append("firebase", ["identities": [:], "sign_in_provider": "google.com"])
        for member in change.object?.members ?? [] {
            claims[member.name] = member.value.isNull ? nil : member.value
        }
        return .object(claims)
    }

    /// Returns the configuration file for a key in a separate file.
    static func file(_ keys: String, until: String = day(in: 30)) -> String {
        "{ firebase: { project: '\(project)', exchangeUntil: '\(until)', keysFile: '\(keys)' } }"
    }

    /// Returns the day after this many days.
    static func day(in days: Int64) -> String {
        let date = CalendarDate(milliseconds: SQLiteConfiguration.machineClock() + days * 86_400_000)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
    }

    /// Runs a server that exchanges tokens of the key, with the imported users `ann`, who is permanent, and `guest`.
    static func run(
        until: String = day(in: 30),
        hooks: String = "",
        settings: [String: String] = [:],
        _ body: @escaping @Sendable (TestServer, ForeignKey) throws -> Void
    ) async throws {
        let key = try Self.key.get()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let keys = folder.appendingPathComponent("keys.json")
        let set = try KeySet(signer: key.key, others: [curveKey.get().verificationKey])
        try Data(set.jwks).write(to: keys)
        let file = Self.file(keys.path, until: until).dropLast(2) + ", \(hooks) }"
        try await TestServer.runInProduction(settings, file: String(file)) { server in
            try server.withDatabase { transaction in
                var ann = User(uid: "ann", createdAt: 1000)
                ann.email = "ann@example.com"
                ann.emailVerifiedAt = 1000
                ann.validSince = transaction.now / 1000
                ann.importedAt = transaction.now
                try transaction.insert(ann)
                var guest = User(anonymous: "guest", at: transaction.now)
                guest.importedAt = transaction.now
                try transaction.insert(guest)
            }
            try body(server, key)
        }
    }

    private static func now(_ server: TestServer) -> Int64 { server.clock.now() / 1000 }

    // MARK: The answer

    @Test func `the exchange gives an imported user a session, with the time and the way of the sign-in at Firebase`()
        async throws
    {
        try await Self.run { server, key in
            let now = Self.now(server)
            let before = try server.withDatabase { try $0.user("ann") }
            let token = try key.signNamingKey(Self.claims("ann", at: now, ["role": "admin", "email": "x@example.com"]))
            let answer = try server.exchange(token)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.keys == ["kind", "localId", "idToken", "refreshToken", "expiresIn"])
            #expect(answer["localId"] == "ann")
            let refreshed = try server.refresh(answer["refreshToken"])
            for idToken in [answer["idToken"], refreshed["id_token"]] {
                let claims = try Claims(idToken)
                #expect(claims["iss"] == "https://auth.example.com" && claims["sub"] == "ann")
                #expect(claims["auth_time"] == .number(JSONNumber(now - 86_400)))
                #expect(claims["firebase"]?["sign_in_provider"] == "google.com")
                #expect(claims["role"] == nil, "what Firebase's token says beside is not ours to say")
                #expect(claims["email"] == "ann@example.com")
            }
            let after = try server.withDatabase { try $0.user("ann") }
            #expect(after?.lastLoginAt == before?.lastLoginAt && after?.importedAt != nil)
            #expect(server.log.contains(#""event":"user.exchanged","uid":"ann","is_anon":false,"outcome":"done""#))
            #expect(!server.log.contains(token))
            let audited = try server.withDatabase { transaction in
                try transaction.all("SELECT uid FROM audit_log WHERE event = 'user.exchanged'") { try $0.text(0) }
            }
            #expect(audited == ["ann"])
        }
    }

    @Test func `an imported guest goes on as a guest, whatever Firebase's token says`() async throws {
        try await Self.run { server, key in
            for provider in ["anonymous", "google.com"] as [JSONValue] {
                let change: JSONValue = ["firebase": ["sign_in_provider": provider], "provider_id": provider]
                let token = try key.signNamingKey(Self.claims("guest", at: Self.now(server), change))
                let claims = try Claims(try server.exchange(token)["idToken"])
                #expect(claims["provider_id"] == "anonymous")
                #expect(claims["firebase"] == ["identities": [:], "sign_in_provider": "anonymous"])
            }
        }
    }

    @Test func `hooks are notified of each`() async throws {
        let hooks = """
            hooks: [{ name: 'one', url: 'https://localhost:1/', secret: '\(HookTests.secret)', events: ['user.exchanged'] }]
            """
        try await Self.run(hooks: hooks) { server, key in
            // At once, so that several have the same time.
            let calls = try (0..<12 as Range<Int64>).map { number in
                let change: JSONValue = ["n": Self.number(number)]
                let token = try key.signNamingKey(Self.claims("guest", at: Self.now(server), change))
                return ("accounts:exchangeFirebaseToken", ["firebaseToken": .string(token)] as JSONValue)
            }
            #expect(try server.callAtOnce(calls).allSatisfy { $0.status == 200 })
            let payloads = try server.withDatabase { transaction in
                try transaction.all("SELECT payload FROM webhook_deliveries") { try JSONValue.parse($0.text(0)) }
            }
            #expect(payloads.count == 12)
            for payload in payloads {
                #expect(payload["type"] == "user.exchanged")
                #expect(payload["data"] == ["uid": "guest", "isAnonymous": true])
            }
        }
    }

    // MARK: Tokens

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (Int64) -> JSONValue

        init(_ what: String, _ change: @escaping @Sendable (_ now: Int64) -> JSONValue) {
            testDescription = what
            self.change = change
        }
    }

    private static func number(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

    static let refused = [
        Case("another project") { _ in ["iss": "https://securetoken.google.com/x", "aud": "x"] },
        Case("another issuer") { _ in ["iss": "https://securetoken.google.com/old-project/"] },
        Case("a session cookie's issuer") { _ in ["iss": "https://session.firebase.google.com/old-project"] },
        Case("another audience") { _ in ["aud": "x"] },
        Case("two audiences") { _ in ["aud": ["old-project", "x"]] },
        Case("expired") { now in ["iat": number(now - 3700), "exp": number(now - 61)] },
        Case("issued later") { now in ["iat": number(now + 120), "exp": number(now + 3700)] },
        Case("no end") { _ in ["exp": nil] },
        Case("good for weeks") { now in ["exp": number(now + 14 * 86_400)] },
        Case("the last end there is") { _ in ["exp": number(.max)] },
        Case("no issue") { _ in ["iat": nil] },
        Case("no sign-in time") { _ in ["auth_time": nil] },
        Case("a sign-in time to come") { now in ["auth_time": number(now + 120)] },
        Case("a sign-in time before all") { _ in ["auth_time": -1] },
        Case("a sign-in time as text") { now in ["auth_time": .string("\(now)")] },
        Case("no subject") { _ in ["sub": nil] },
        Case("an empty subject") { _ in ["sub": ""] },
        Case("a subject of 129 characters") { _ in ["sub": .string(String(repeating: "x", count: 129))] },
        Case("a subject with NUL") { _ in ["sub": "ann\0"] },
        Case("no firebase") { _ in ["firebase": nil] },
        Case("no provider") { _ in ["firebase": [:]] },
        Case("a provider with white space") { _ in ["firebase": ["sign_in_provider": "a b"]] },
        Case("a tenant") { _ in ["firebase": ["sign_in_provider": "google.com", "tenant": "t"]] },
    ]

    @Test(arguments: refused)
    func `a token with one thing wrong is refused, and costs nothing`(_ example: Case) async throws {
        try await Self.run { server, key in
            let now = Self.now(server)
            let answer = try server.exchange(key.signNamingKey(Self.claims("ann", at: now, example.change(now))))
            #expect(answer.status == 400 && answer.code == "INVALID_FIREBASE_TOKEN", "\(answer.text)")
            #expect(try server.exchange(key.signNamingKey(Self.claims("ann", at: now))).status == 200)
        }
    }

    @Test func `clocks may differ by a minute`() async throws {
        try await Self.run { server, key in
            server.clock.freeze()
            let now = Self.now(server)
            for change in [
                ["iat": Self.number(now + 50), "auth_time": Self.number(now + 50), "exp": Self.number(now + 3650)],
                ["iat": Self.number(now - 3600), "exp": Self.number(now - 50)],
            ] as [JSONValue] {
                let answer = try server.exchange(key.signNamingKey(Self.claims("ann", at: now, change)))
                #expect(answer.status == 200, "\(answer.text)")
                // No sign-in time is in the future.
                guard case .number(let time)? = try Claims(answer["idToken"])["auth_time"] else { continue }
                #expect((time.int64 ?? .max) <= Self.now(server))
            }
        }
    }

    @Test func `only the project's keys sign, by RS256`() async throws {
        try await Self.run { server, key in
            let claims = Self.claims("ann", at: Self.now(server))
            let id = JSONValue.string(key.key.keyID)
            let good = try key.signNamingKey(claims)
            let parts = good.split(separator: ".").map(String.init)
            let other = Base64URL.encode(Self.claims("guest", at: Self.now(server)).serialized())
            var tokens = [
                "x", "a.b.c", #"{"sub":"ann"}"#, "\(parts[0]).\(parts[1]).", "\(parts[0]).\(other).\(parts[2])",
                try ForeignKey().signNamingKey(claims),
                try ForeignKey().sign(claims, header: ["alg": "RS256", "kid": id]),
                try key.sign(claims), good + "=", try JWT.sign(claims.serialized(), with: Self.curveKey.get()),
            ]
            for header in [
                ["alg": "none", "kid": id], ["alg": "HS256", "kid": id], ["alg": "ES256", "kid": id],
                ["alg": "RS256", "kid": id, "crit": ["b64"]], ["alg": "RS256", "kid": "../keys.json"],
                ["alg": "RS256", "kid": "' OR 1=1 --"],
                ["alg": "RS256", "kid": .string(String(repeating: "k", count: 5000))],
            ] as [JSONValue] {
                tokens.append(try key.sign(claims, header: header))
            }
            for token in tokens {
                let answer = try server.exchange(token)
                #expect(answer.code == "INVALID_FIREBASE_TOKEN", "\(token.prefix(80)): \(answer.text)")
            }
            #expect(try server.exchange("").code == "MISSING_FIREBASE_TOKEN")
            #expect(try server.call("accounts:exchangeFirebaseToken").code == "MISSING_FIREBASE_TOKEN")
            #expect(try server.exchange(good).status == 200)
        }
    }

    @Test func `each token is good once, also when many come at once and after a restart`() async throws {
        try await Self.run { server, key in
            let token = try key.signNamingKey(Self.claims("ann", at: Self.now(server)))
            let call = ("accounts:exchangeFirebaseToken", ["firebaseToken": .string(token)] as JSONValue)
            let answers = try server.callAtOnce(Array(repeating: call, count: 20))
            #expect(answers.filter { $0.status == 200 }.count == 1)
            #expect(answers.filter { $0.code == "TOKEN_ALREADY_EXCHANGED" }.count == 19)
            try server.restarted { again in
                let late = try again.exchange(token)
                #expect(late.code == "TOKEN_ALREADY_EXCHANGED")
            }
        }
    }

    // MARK: Users

    @Test func `only imported users, who are enabled and unrevoked here, are let in`() async throws {
        try await Self.run { server, key in
            func exchange(_ uid: String, _ change: JSONValue = [:]) throws -> String {
                try server.exchange(key.signNamingKey(Self.claims(uid, at: Self.now(server), change))).code
            }
            let own = try server.guest()
            #expect(try exchange("nobody") == "USER_NOT_FOUND")
            #expect(try exchange(own.uid) == "USER_NOT_FOUND", "not imported")
            try server.withDatabase { transaction in
                var user = User(anonymous: "merged", at: 1)
                user.importedAt = 1
                try transaction.insert(user)
                try transaction.deleteUser("merged", mergedInto: "ann")
            }
            #expect(try exchange("merged") == "USER_NOT_FOUND")
            let anonymous: JSONValue = ["firebase": ["sign_in_provider": "anonymous"]]
            #expect(try exchange("ann", anonymous) == "TOKEN_EXPIRED", "an anonymous session does not open an account")
            try server.withDatabase { try $0.execute("UPDATE users SET disabled_at = 1 WHERE uid = 'ann'") }
            #expect(try exchange("ann") == "USER_DISABLED")
            try server.withDatabase { transaction in
                let later = transaction.now / 1000 + 1
                try transaction.execute("UPDATE users SET disabled_at = NULL, valid_since = \(later) WHERE uid = 'ann'")
            }
            server.clock.advance(seconds: 3600)
            #expect(try exchange("ann", ["auth_time": Self.number(Self.now(server))]) == "TOKEN_EXPIRED")
        }
    }

    @Test func `a guest who got a credential here, and a user with another address, are no longer who they were there`()
        async throws
    {
        try await Self.run { server, key in
            func exchange(_ uid: String) throws -> Answer {
                try server.exchange(
                    key.signNamingKey(Self.claims(uid, at: Self.now(server), ["n": .string(UUID().uuidString)]))
                )
            }
            let guest = try exchange("guest")
            #expect(guest.status == 200)
            let linked = try server.redeem(
                try server.askForLink("bob@example.com").oobCode,
                "bob@example.com",
                idToken: guest["idToken"]
            )
            #expect(linked["localId"] == "guest")
            #expect(try exchange("guest").code == "USER_NOT_FOUND")
            #expect(try exchange("ann").status == 200)
            try server.withDatabase { transaction in
                guard var ann = try transaction.user("ann") else { return }
                ann.email = "new@example.com"
                try transaction.update(ann)
            }
            #expect(try exchange("ann").code == "USER_NOT_FOUND")
        }
    }

    @Test func `a user gets twenty sessions, ended ones among them`() async throws {
        try await Self.run { server, key in
            func exchange(_ number: Int64) throws -> Answer {
                let change: JSONValue = ["n": Self.number(number)]
                return try server.exchange(key.signNamingKey(Self.claims("ann", at: Self.now(server), change)))
            }
            for number in 0..<20 {
                let answer = try exchange(Int64(number))
                #expect(answer.status == 200)
                if number < 5 {
                    _ = try server.call("accounts:signOut", ["refreshToken": .string(answer["refreshToken"])])
                }
            }
            #expect(try exchange(20).code == "TOO_MANY_SESSIONS")
            let spent = try server.withDatabase { transaction in
                try transaction.first("SELECT COUNT(*) FROM spent_tokens") { try $0.integer(0) }
            }
            #expect(spent == 20, "who is refused has spent nothing")
        }
    }

    // MARK: Time limits

    @Test func `the exchange ends after its configured day, and is off by default`() async throws {
        try await Self.run(until: Self.day(in: 1)) { server, key in
            server.clock.advance(seconds: 2 * 86_400)
            let token = try key.signNamingKey(Self.claims("ann", at: Self.now(server)))
            #expect(try server.exchange(token).code == "OPERATION_NOT_ALLOWED")
        }
        try await TestServer.run { server in
            let (any, none) = (try server.exchange("x"), try server.exchange(""))
            #expect(any.code == "OPERATION_NOT_ALLOWED" && none.code == "MISSING_FIREBASE_TOKEN")
        }
    }

    @Test func `a client that tries tokens is stopped, and a token of Firebase's passes`() async throws {
        try await Self.run(settings: ["LIMITS_FAILURES_PER_CLIENT": "3"]) { server, key in
            for _ in 0..<3 { #expect(try server.exchange("x").code == "INVALID_FIREBASE_TOKEN") }
            let good = try key.signNamingKey(Self.claims("ann", at: Self.now(server)))
            #expect(try server.exchange("x").status == 429)
            let expired = try key.signNamingKey(Self.claims("ann", at: Self.now(server) - 7200))
            #expect(try server.exchange(expired).code == "INVALID_FIREBASE_TOKEN", "its signature is good")
            #expect(try server.exchange(good).status != 429)
        }
    }

    @Test(
        arguments: [
            ("{ firebase: { project: 'p' } }", "go together"),
            ("{ firebase: { exchangeUntil: '\(day(in: 1))' } }", "go together"),
            ("{ firebase: { keysFile: '/x' } }", "go together"),
            ("{ firebase: { project: 'p', exchangeUntil: 'soon' } }", "a date such as"),
            ("{ firebase: { project: 'p', exchangeUntil: '2027-02-30' } }", "a date such as"),
            ("{ firebase: { project: 'p', exchangeUntil: '\(day(in: 91))' } }", "at most 90 days"),
            ("{ firebase: { project: 'p', exchangeUntil: '9999-12-31' } }", "at most 90 days"),
            (file("/nowhere/at/all"), "JSON Web Key Set"), (file("/dev/null"), "JSON Web Key Set"),
            ("{ firebase: { project: 'p', exchangeUntil: '\(day(in: 1))', until: 'x' } }", "unknown setting"),
        ]
    )
    func `a setting that is not right stops the start`(file: String, reason: String) throws {
        let problems = try Self.load(file)
        #expect(problems?.contains("firebase.") == true && problems?.contains(reason) == true, "\(problems ?? "none")")
    }

    @Test func `ninety days ahead, and a day that is over, are fine`() throws {
        for days in [90, 0, -1] as [Int64] {
            #expect(try Self.load("{ firebase: { project: 'p', exchangeUntil: '\(Self.day(in: days))' } }") == nil)
        }
    }

    /// Returns the error of a configuration file.
    private static func load(_ file: String) throws -> String? {
        try TestServer.inFolder { folder in
            let path = folder.appendingPathComponent("latchkey.json5")
            try Data(file.utf8).write(to: path)
            do {
                _ = try Configuration.load(file: path.path, environment: [:])
                return nil
            } catch { return "\(error)" }
        }
    }
}

extension TestServer {
    /// Exchanges a Firebase token.
    func exchange(_ token: String) throws -> Answer {
        try call("accounts:exchangeFirebaseToken", ["firebaseToken": .string(token)])
    }
}
