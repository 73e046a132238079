import Crypto
import Foundation
import HTTPServer
import JSON
import ProcessHarness
import Server
import Synchronization
import Testing
import Tokens

/// An OpenID Connect issuer: a real HTTPS server with its own certificate, which publishes keys, signs tokens and
/// answers as configured.
final class TestIssuer: Sendable {
    /// The behavior for requests of a document.
    enum Manner: Sendable {
        case usual
        case say(String, status: Int = 200)
        case redirect(to: String)
        /// Does not answer until the behavior changes.
        case hang
        /// Sends this many bytes.
        case flood(Int)
        /// Sends the usual answer after this many milliseconds.
        case late(Int)
    }

    struct Document: Sendable {
        var manner = Manner.usual
        var headers: [(name: String, value: String)] = []
        var requests = 0
    }

    private struct State {
        var keys: [TokenSigningKey]
        var discovery = Document()
        var keySet = Document()
        /// Members of the discovery document that replace the true ones.
        var changes: [String: JSONValue] = [:]
    }

    private final class Shared: Sendable {
        let state: Mutex<State>
        init(_ keys: [TokenSigningKey]) { state = Mutex(State(keys: keys)) }
    }

    static let client = "client-of-ours"

    let port: UInt16
    private let certificate: TestCertificate
    private let server: HTTPServer.Server
    private let shared: Shared

    var url: String { "https://localhost:\(port)" }
    var keySetURL: String { "\(url)/jwks" }

    /// Listens on a free port of 127.0.0.1.
    init(_ algorithm: SignatureAlgorithm = .es256) throws {
        certificate = try TestCertificate()
        let shared = Shared([try .generate(algorithm)])
        self.shared = shared
        let ownPort = Port()
        var router = Router()
        router.add(.get, "/.well-known/openid-configuration") { _ in
            Self.answer(shared, \.discovery) { state in
                let url = "https://localhost:\(ownPort.number.load(ordering: .relaxed))"
                var metadata: [String: JSONValue] = ["issuer": .string(url), "jwks_uri": .string("\(url)/jwks")]
                metadata.merge(state.changes) { $1 }
                var object = JSONObject()
                for (name, value) in metadata { object[name] = value }
                return JSONValue.object(object).serialized()
            }
        }
        router.add(.get, "/jwks") { _ in
            Self.answer(shared, \.keySet) { state in
                KeySet(signer: state.keys[0], others: state.keys.dropFirst().map(\.verificationKey)).jwks
            }
        }
        var configuration = HTTPConfiguration(listen: try #require(ListenAddress("127.0.0.1:0")))
        configuration.tls = HTTPConfiguration.TLS(
            certificateFile: certificate.certificate,
            keyFile: certificate.key
        )
        server = HTTPServer.Server(
            configuration: configuration,
            router: router,
            errorResponse: { _, _ in Response(status: 500) },
            onEvent: { _ in }
        )
        port = try server.start().port
        ownPort.number.store(port, ordering: .relaxed)
    }

    private final class Port: Sendable {
        let number = Atomic<UInt16>(0)
    }

    /// Runs a body with a new issuer.
    static func run(
        _ algorithm: SignatureAlgorithm = .es256,
        _ body: (TestIssuer) async throws -> Void
    ) async throws {
        let issuer = try TestIssuer(algorithm)
        defer { issuer.stop() }
        try await body(issuer)
    }

    func stop() {
        behave(.usual, .usual)
        server.stop(within: .zero)
        certificate.remove()
    }

    // MARK: Published documents

    /// The numbers of requests for the discovery document and for the key set.
    var requests: [Int] { shared.state.withLock { [$0.discovery.requests, $0.keySet.requests] } }

    func behave(_ discovery: Manner, _ keySet: Manner) {
        shared.state.withLock { state in
            state.discovery.manner = discovery
            state.keySet.manner = keySet
        }
    }

    /// Adds headers to the answer with the key set.
    func answerKeys(with headers: (name: String, value: String)...) {
        shared.state.withLock { $0.keySet.headers = headers }
    }

    /// Replaces a member of the discovery document.
    func claim(_ name: String, _ value: JSONValue) {
        shared.state.withLock { $0.changes[name] = value }
    }

    /// The key that signs.
    var key: TokenSigningKey { shared.state.withLock { $0.keys[0] } }

    /// Signs with a new key from now on, and forgets the old one.
    func rotate(_ algorithm: SignatureAlgorithm = .es256) throws {
        let key = try TokenSigningKey.generate(algorithm)
        shared.state.withLock { $0.keys = [key] }
    }

    private static func answer(
        _ shared: Shared,
        _ path: any WritableKeyPath<State, Document> & Sendable,
        _ usual: @escaping @Sendable (State) -> [UInt8]
    ) -> Handling {
        let (document, content) = shared.state.withLock { state in
            state[keyPath: path].requests += 1
            return (state[keyPath: path], usual(state))
        }
        var response = Response.json(content)
        response.headers += document.headers
        switch document.manner {
        case .usual: return .response(response)
        case .say(let text, let status): return .response(.json(status: status, Array(text.utf8)))
        case .redirect(let url): return .response(.redirect(to: url, status: 302))
        case .flood(let count): return .response(.json([UInt8](repeating: 0x20, count: count)))
        case .late(let milliseconds):
            return .async { [response] in
                try await Task.sleep(for: .milliseconds(milliseconds))
                return response
            }
        case .hang:
            return .async {
                while case .hang = shared.state.withLock({ $0[keyPath: path].manner }) {
                    try await Task.sleep(for: .milliseconds(20))
                }
                return Response(status: 503)
            }
        }
    }

    // MARK: Tokens

    /// Returns the claims of a usual token, with some changed; `nil` removes a claim.
    func claims(_ changes: [String: JSONValue?] = [:], at now: Int64 = TestIssuer.now) -> JSONObject {
        var claims = JSONObject()
        claims["iss"] = .string(url)
        claims["aud"] = .string(Self.client)
        claims["sub"] = "ann"
        claims["iat"] = .number(JSONNumber(now))
        claims["exp"] = .number(JSONNumber(now + 3600))
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    /// Makes a token signed by the issuer's key.
    func token(_ changes: [String: JSONValue?] = [:], at now: Int64 = TestIssuer.now) throws -> String {
        try JWT.sign(JSONValue.object(claims(changes, at: now)).serialized(), with: key)
    }

    /// Makes a correctly signed token with a given header.
    func token(header: String, payload: String? = nil) throws -> String {
        let text = payload ?? String(decoding: JSONValue.object(claims()).serialized(), as: UTF8.self)
        let input = [header, text].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        return input + "." + Base64URL.encode(try key.key.sign(Array(input.utf8)))
    }

    static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    // MARK: Configurations

    /// Returns the configuration of a production server that trusts the issuer.
    func configuration(
        _ id: String = "oidc.test",
        _ members: String = "",
        gate: String = "127.0.0.1/32",
        isTrusted: Bool = true,
        environment: [String: String] = TestIssuer.production
    ) throws -> Configuration {
        try TestServer.inFolder { folder in
            let file = folder.appendingPathComponent("latchkey.json5")
            try Data(settings(id, members, gate: gate, isTrusted: isTrusted).utf8).write(to: file)
            return try Configuration.load(file: file.path, environment: environment)
        }
    }

    /// Returns a configuration file that trusts the issuer.
    func settings(
        _ id: String = "oidc.test",
        _ members: String = "",
        gate: String = "127.0.0.1/32",
        isTrusted: Bool = true
    ) -> String {
        let trust = isTrusted ? "certificates: '\(certificate.certificate)'," : ""
        return """
            { providers: { '\(id)': { issuer: '\(url)', clientIDs: ['\(Self.client)', 'other-client'], \(trust) \(members) } },
              providersAllowPrivate: ['\(gate)'] }
            """
    }

    private static let production = [
        "LATCHKEY_MODE": "production", "LATCHKEY_SECRET": TestServer.secret,
        "LATCHKEY_PUBLIC_URL": "https://auth.example.com", "LATCHKEY_SMTP_URL": "smtp://mail.example.com",
        "LATCHKEY_MAIL_FROM": "a@example.com",
    ]
}

/// A self-signed certificate for loopback, made by OpenSSL's own tool.
struct TestCertificate: Sendable {
    let certificate: String
    let key: String
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "certificate.pem").path
        key = folder.appending(path: "key.pem").path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key,
            "-out", certificate,
        ]
        process.standardError = FileHandle.nullDevice
        try process.start()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
