import Accounts
import Crypto
import JSON
import PostgreSQLHarness
import Server
import Testing
import Tokens

@Suite("Keys of another issuer", .enabled(if: TestDatabase.isEnginesTurn), .timeLimit(.minutes(1)))
struct RemoteKeysTests {
    /// The keys of an issuer as a server has them, with a clock that a test advances.
    private struct Desk {
        let keys: RemoteKeys
        let clock = TestClock()
        let log = Lines()

        init(
            _ issuer: TestIssuer,
            at location: KeyLocation? = nil,
            gate: String = "127.0.0.1/32",
            isTrusted: Bool = true,
            timeout: Int = 5000
        ) throws {
            let configuration = try issuer.configuration(gate: gate, isTrusted: isTrusted)
            let lines = log
            keys = RemoteKeys(
                "test",
                at: location ?? .issuer(issuer.url),
                configuration,
                caFile: configuration.providers.first?.caFile,
                clock: clock.now,
                logger: Log { lines.add(String(decoding: $0, as: UTF8.self)) },
                timeout: timeout
            )
        }

        /// Returns the subject of a token.
        func subject(of token: String) async throws -> String? {
            switch try keys.check(token, { try JWT.verify(token, keys: $0).claims["sub"]?.string }) {
            case .known(let subject): return subject
            case .awaitingKeys(let rest): return try await rest()
            }
        }

        /// Whether the token can be checked at once.
        func isWarm(for token: String) throws -> Bool {
            guard case .known = try keys.check(token, { try JWT.verify(token, keys: $0) }) else { return false }
            return true
        }

        /// Returns the seconds that a client is told to wait, if the keys are unavailable.
        func refusal(of token: String) async throws -> Int? {
            let refusal = await #expect(throws: Refusal.self) { try await subject(of: token) }
            #expect(refusal?.code == .providerUnavailable)
            return refusal?.retryAfter
        }
    }

    @Test func `keys are fetched when a token needs them, and kept`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            #expect(issuer.requests == [0, 0])
            for _ in 0..<3 { #expect(try await desk.subject(of: issuer.token()) == "ann") }
            #expect(issuer.requests == [1, 1])
            #expect(try desk.isWarm(for: issuer.token()))
        }
    }

    @Test func `a key set can be named by its URL`() async throws {
        try await TestIssuer.run(.rs256) { issuer throws in
            let desk = try Desk(issuer, at: .keySet(issuer.keySetURL))
            #expect(try await desk.subject(of: issuer.token()) == "ann")
            #expect(issuer.requests == [0, 1])
        }
    }

    @Test func `who waits at the same time waits for one fetch`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            issuer.behave(.late(200), .usual)
            let token = try issuer.token()
            let subjects = try await withThrowingTaskGroup { group in
                for _ in 0..<50 { group.addTask { try await desk.subject(of: token) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(subjects == Array(repeating: "ann", count: 50))
            #expect(issuer.requests == [1, 1])
        }
    }

    // MARK: Lifetime of keys

    struct Life: Sendable, CustomTestStringConvertible {
        var cacheControl: String?
        var age: String?
        let seconds: Int64
        var testDescription: String { "\(cacheControl ?? "nothing"), \(age ?? "no") age" }
    }

    @Test(arguments: [
        Life(seconds: 3600), Life(cacheControl: "public, max-age=7200, must-revalidate", seconds: 7200),
        Life(cacheControl: "max-age=7200", age: "3000", seconds: 4200),
        Life(cacheControl: "max-age=7200", age: "9000", seconds: 300),
        Life(cacheControl: "max-age=1", seconds: 300), Life(cacheControl: "no-store", seconds: 300),
        Life(cacheControl: "max-age=100000000", seconds: 86_400),
        Life(cacheControl: "max-age=9999999999999999999999", seconds: 3600),
        Life(cacheControl: "max-age=-5", seconds: 300), Life(cacheControl: "nonsense", seconds: 3600),
    ])
    func `they are kept as long as the issuer says, within bounds`(_ life: Life) async throws {
        try await TestIssuer.run { issuer throws in
            if let cacheControl = life.cacheControl {
                issuer.answerKeys(with: ("Cache-Control", cacheControl), ("Age", life.age ?? ""))
            }
            let desk = try Desk(issuer)
            desk.clock.freeze()
            _ = try await desk.subject(of: issuer.token())
            desk.clock.advance(seconds: life.seconds - 10)
            #expect(try desk.isWarm(for: issuer.token()))
            desk.clock.advance(seconds: 11)
            #expect(try !desk.isWarm(for: issuer.token()))
            _ = try await desk.subject(of: issuer.token())
            #expect(issuer.requests == [2, 2])
        }
    }

    @Test func `a key that the issuer has withdrawn is good for nothing once the keys are old`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            let token = try issuer.token()
            _ = try await desk.subject(of: token)
            try issuer.rotate()
            desk.clock.advance(seconds: 3601)
            await #expect(throws: JWTError.unknownKey) { try await desk.subject(of: token) }
        }
    }

    @Test func `a clock that was put back does not keep keys for ever`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            desk.clock.advance(seconds: 10_000_000)
            _ = try await desk.subject(of: issuer.token())
            desk.clock.advance(seconds: -10_000_000)
            #expect(try !desk.isWarm(for: issuer.token()))
        }
    }

    // MARK: Unknown keys

    @Test func `a new key is looked for at once`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            let old = try issuer.token()
            _ = try await desk.subject(of: old)
            for algorithm in SignatureAlgorithm.allCases {
                try issuer.rotate(algorithm)
                desk.clock.advance(seconds: 11)
                #expect(try await desk.subject(of: issuer.token(["sub": "bob"])) == "bob")
            }
            await #expect(throws: JWTError.unknownKey) { try await desk.subject(of: old) }
        }
    }

    @Test func `unknown key IDs cost the issuer one request in a while`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            desk.clock.freeze()
            _ = try await desk.subject(of: issuer.token())
            for number in 0..<20 {
                let token = try issuer.token(header: #"{"alg":"ES256","kid":"nobody-\#(number)"}"#)
                await #expect(throws: JWTError.unknownKey) { try await desk.subject(of: token) }
            }
            #expect(issuer.requests[1] == 2)
            #expect(try desk.isWarm(for: issuer.token()))
            desk.clock.advance(seconds: 11)
            let token = try issuer.token(header: #"{"alg":"ES256","kid":"nobody"}"#)
            await #expect(throws: JWTError.unknownKey) { try await desk.subject(of: token) }
            #expect(issuer.requests[1] == 3)
        }
    }

    /// As in oidc-provider-mock (OpenID Connect Core section 10.1).
    @Test func `an issuer with one key need not name it, not even a new one`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            desk.clock.freeze()
            let old = try issuer.token(header: #"{"alg":"ES256"}"#)
            #expect(try await desk.subject(of: old) == "ann")
            #expect(try desk.isWarm(for: old))
            for algorithm in [SignatureAlgorithm.es256, .rs256, .edDSA] {
                try issuer.rotate(algorithm)
                desk.clock.advance(seconds: 11)
                let header = #"{"alg":"\#(algorithm.rawValue)"}"#
                #expect(try await desk.subject(of: issuer.token(header: header)) == "ann")
            }
            let requests = issuer.requests
            for _ in 0..<5 {
                await #expect(throws: JWTError.self) { try await desk.subject(of: old) }
            }
            #expect(issuer.requests == requests, "a forged one costs one request in a while")
            desk.clock.advance(seconds: 11)
            await #expect(throws: JWTError.self) { try await desk.subject(of: old) }
            issuer.behave(.say("", status: 500), .usual)
            desk.clock.advance(seconds: 11)
            _ = try await desk.refusal(of: old)
        }
    }

    @Test func `a key that could not be looked for is looked for after the pause`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            _ = try await desk.subject(of: issuer.token())
            try issuer.rotate()
            issuer.behave(.say("", status: 500), .usual)
            _ = try await desk.refusal(of: issuer.token())
            issuer.behave(.usual, .usual)
            desk.clock.advance(seconds: 2)
            #expect(try await desk.subject(of: issuer.token()) == "ann")
        }
    }

    @Test(arguments: [
        "../../../etc/passwd", "' OR 1=1 --", "https://evil.example/jwks", "\\u0000",
        String(repeating: "k", count: 9000),
        "%2e%2e/jwks", "*",
    ])
    func `a key id is only looked up among the issuer's keys`(_ keyID: String) async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            let token = try issuer.token(header: #"{"alg":"ES256","kid":"\#(keyID)"}"#)
            await #expect(throws: JWTError.unknownKey) { try await desk.subject(of: token) }
            #expect(issuer.requests == [1, 1])
        }
    }

    @Test(arguments: [
        #"{"alg":"none","kid":"a"}"#, #"{"alg":"HS256","kid":"a"}"#, #"{"alg":"ES256","kid":null}"#,
        #"{"alg":"ES256","kid":1}"#,
        #"{"alg":"ES256","kid":"a","kid":"b"}"#, #"{"alg":"ES256","kid":"a","crit":["exp"]}"#, "[]", "",
    ])
    func `what is no token costs the issuer no request`(_ header: String) async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            let token = try issuer.token(header: header)
            await #expect(throws: JWTError.self) { try await desk.subject(of: token) }
            let long = try issuer.token() + String(repeating: "A", count: 20_000)
            await #expect(throws: JWTError.tooLong) { try await desk.subject(of: long) }
            #expect(issuer.requests == [0, 0])
        }
    }

    // MARK: Unavailable issuers

    @Test func `an issuer that is down is asked again after growing pauses`() async throws {
        try await TestIssuer.run { issuer throws in
            issuer.behave(.say("{}", status: 503), .usual)
            let desk = try Desk(issuer)
            let token = try issuer.token()
            for attempt in 1...12 {
                let wait = try #require(await desk.refusal(of: token))
                #expect((1...300).contains(wait))
                #expect(attempt < 11 || wait >= 150)
                // No request is made during the pause; the first pauses are short.
                if attempt > 4 { _ = try await desk.refusal(of: token) }
                #expect(issuer.requests[0] == attempt)
                desk.clock.advance(seconds: 301)
            }
            issuer.behave(.usual, .usual)
            #expect(try await desk.subject(of: token) == "ann")
            #expect(desk.log.contains("keys.not-fetched") && desk.log.contains("the issuer answered with status 503"))
            #expect(!desk.log.contains(token))
        }
    }

    @Test func `known keys stay valid for a day while the issuer is down`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            let token = try issuer.token()
            _ = try await desk.subject(of: token)
            issuer.behave(.say("", status: 500), .usual)
            desk.clock.advance(seconds: 3601)
            for _ in 0..<6 {
                #expect(try await desk.subject(of: token) == "ann")
                desk.clock.advance(seconds: 301)
            }
            #expect(try await desk.subject(of: token) == "ann")
            #expect(try desk.isWarm(for: token), "in the pause nobody waits")
            // A token with what may be a new key is neither accepted nor refused for good.
            let unknown = try issuer.token(header: #"{"alg":"ES256","kid":"new"}"#)
            _ = try await desk.refusal(of: unknown)
            desk.clock.advance(seconds: 84_000)
            #expect(try await desk.subject(of: token) == "ann")
            desk.clock.advance(seconds: 1000)
            _ = try await desk.refusal(of: token)
            issuer.behave(.usual, .usual)
            desk.clock.advance(seconds: 301)
            #expect(try await desk.subject(of: token) == "ann")
        }
    }

    @Test func `a search that fails does not touch the keys that are known`() async throws {
        try await TestIssuer.run { issuer throws in
            let desk = try Desk(issuer)
            _ = try await desk.subject(of: issuer.token())
            issuer.behave(.usual, .say("no"))
            _ = try await desk.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"new"}"#))
            #expect(try desk.isWarm(for: issuer.token()))
        }
    }

    // MARK: Malicious issuers

    struct Harm: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var discovery = TestIssuer.Manner.usual
        var keySet = TestIssuer.Manner.usual
        var gate = "127.0.0.1/32"
        var isTrusted = true
        var change: (String, JSONValue)?
        let says: String

        init(
            _ what: String,
            _ discovery: TestIssuer.Manner = .usual,
            keySet: TestIssuer.Manner = .usual,
            gate: String = "127.0.0.1/32",
            isTrusted: Bool = true,
            change: (String, JSONValue)? = nil,
            says: String
        ) {
            testDescription = what
            self.discovery = discovery
            self.keySet = keySet
            self.gate = gate
            self.isTrusted = isTrusted
            self.change = change
            self.says = says
        }
    }

    private static let key = #"{"kty":"EC","crv":"P-256","kid":"a","x":"A","y":"A"}"#

    static let harms = [
        Harm("keys of 10 MB", keySet: .flood(10 << 20), says: "too large"),
        Harm("a document of 10 MB", .flood(10 << 20), says: "too large"),
        Harm("keys that never come", keySet: .hang, says: "imeout"),
        Harm("a document that never comes", .hang, says: "imeout"),
        Harm("a redirect of the document", .redirect(to: "/jwks"), says: "status 302"),
        Harm("a redirect of the keys", keySet: .redirect(to: "/.well-known/openid-configuration"), says: "status 302"),
        Harm("an issuer at a private address", gate: "10.0.0.0/8", says: "an address that is not allowed"),
        Harm(
            "keys at a private address",
            change: ("jwks_uri", "https://127.0.0.2/jwks"),
            says: "an address that is not allowed"
        ),
        Harm(
            "keys where clouds keep their secrets",
            change: ("jwks_uri", "https://169.254.169.254/latest"),
            says: "an address that is not allowed"
        ),
        Harm("keys by plain http", change: ("jwks_uri", "http://127.0.0.1/jwks"), says: "https URL"),
        Harm("keys in a file", change: ("jwks_uri", "file:///etc/passwd"), says: "https"),
        Harm("keys behind a password", change: ("jwks_uri", "https://a:b@127.0.0.1/jwks"), says: "https"),
        Harm("no URL of keys", change: ("jwks_uri", .null), says: "no jwks_uri"),
        Harm(
            "the document of another issuer",
            change: ("issuer", "https://accounts.google.com"),
            says: "another issuer"
        ),
        Harm("a document that is none", .say("<html>"), says: "not a JSON object"),
        Harm("a document that is a list", .say("[]"), says: "not a JSON object"),
        Harm(
            "a document that says two things",
            .say(#"{"issuer":"https://a","issuer":"https://b","jwks_uri":"https://a/"}"#),
            says: "not a JSON object"
        ),
        Harm("keys that are none", keySet: .say("{}"), says: "not a key set"),
        Harm("keys that are said twice", keySet: .say(#"{"keys":[],"keys":[\#(key)]}"#), says: "not a key set"),
        Harm(
            "a key with a member twice",
            keySet: .say(#"{"keys":[{"kty":"EC","kid":"a","kid":"b"}]}"#),
            says: "not a key set"
        ),
        Harm(
            "more keys than anybody has",
            keySet: .say(#"{"keys":[\#(Array(repeating: key, count: 101).joined(separator: ","))]}"#),
            says: "not a key set"
        ),
        Harm(
            "keys in too many brackets",
            keySet: .say(String(repeating: "[", count: 100_000)),
            says: "not a key set"
        ),
        Harm("an error", keySet: .say("{}", status: 404), says: "status 404"),
        Harm("a certificate of nobody we trust", isTrusted: false, says: "certificate"),
    ]

    @Test(arguments: harms)
    func `a malicious issuer's answers are refused and do not block`(_ harm: Harm) async throws {
        try await TestIssuer.run { issuer throws in
            issuer.behave(harm.discovery, harm.keySet)
            if let (name, value) = harm.change { issuer.claim(name, value) }
            let desk = try Desk(
                issuer,
                gate: harm.gate,
                isTrusted: harm.isTrusted,
                timeout: harm.says == "imeout" ? 500 : 5000
            )
            _ = try await desk.refusal(of: issuer.token())
            #expect(desk.log.all.first?.contains(harm.says) == true, "\(desk.log.all)")
        }
    }

    @Test func `a key set at a plain http URL is not fetched`() async throws {
        try await TestIssuer.run { issuer throws in
            let url = "http" + issuer.keySetURL.dropFirst("https".count)
            let desk = try Desk(issuer, at: .keySet(url))
            _ = try await desk.refusal(of: issuer.token())
            #expect(desk.log.contains("https URL"))
        }
    }

    @Test func `a bad key beside a good one is left out`() async throws {
        try await TestIssuer.run { issuer throws in
            let good = String(decoding: KeySet(signer: issuer.key).jwks, as: UTF8.self).dropFirst(9).dropLast(2)
            let others = [
                Self.key, #"{"kty":"oct","kid":"\#(issuer.key.keyID)","k":"c2VjcmV0","alg":"HS256"}"#, "1", "{}",
                #"{"kty":"RSA","kid":"weak","n":"AQAB","e":"AQAB"}"#,
            ]
            issuer.behave(.usual, .say(#"{"keys":[\#((others + [String(good)]).joined(separator: ","))]}"#))
            let desk = try Desk(issuer)
            #expect(try await desk.subject(of: issuer.token()) == "ann")
        }
    }
}
