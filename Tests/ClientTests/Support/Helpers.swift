import Foundation
import LatchkeyApp
import LatchkeyClient
import Synchronization
import Testing

/// Makes an `Auth` for a server; only the base URL matters.
func makeAuth(
    _ baseURL: String,
    store: any SessionStore = MemorySessionStore(),
    clock: TestClock = TestClock()
) throws -> Auth {
    try Auth(
        configuration: Auth.Configuration(server: baseURL, requestTimeout: .seconds(10)),
        transport: URLSessionTransport(),
        store: store,
        now: { clock.now }
    )
}

/// A wall clock that a test advances.
final class TestClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_790_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: Double) {
        time.withLock { $0 += seconds }
    }
}

/// Counts, across threads.
final class Counter: Sendable {
    private let value = Mutex(0)

    /// The number of earlier calls.
    func next() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}

/// A folder that is deleted with the object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "latchkey-client-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Answers in wire format.
enum Wire {
    /// Makes an ID token with the parts that a client reads; its signature is not valid.
    static func idToken(uid: String, email: String? = nil, serial: Int = 0) -> String {
        let provider = email == nil ? "anonymous" : "password"
        let address = email.map { #","email":"\#($0)","email_verified":true"# } ?? ""
        let claims = #"{"sub":"\#(uid)","n":\#(serial)\#(address),"firebase":{"sign_in_provider":"\#(provider)"}}"#
        return ["{}", claims, "none"].map(base64URL).joined(separator: ".")
    }

    static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    static func signedIn(
        uid: String,
        email: String? = nil,
        serial: Int = 0,
        refresh: String = "refresh-0",
        extra: String = ""
    ) -> ScriptedServer.Reply {
        let token = idToken(uid: uid, email: email, serial: serial)
        return .json(
            #"{"localId":"\#(uid)","idToken":"\#(token)","refreshToken":"\#(refresh)","expiresIn":"3600"\#(extra)}"#
        )
    }

    static func refreshed(uid: String, email: String? = nil, serial: Int, refresh: String) -> ScriptedServer.Reply {
        let token = idToken(uid: uid, email: email, serial: serial)
        return .json(
            #"{"id_token":"\#(token)","access_token":"\#(token)","refresh_token":"\#(refresh)","#
                + #""expires_in":"3600","token_type":"Bearer","user_id":"\#(uid)","project_id":"12345"}"#
        )
    }

    static func user(uid: String, email: String? = nil) -> ScriptedServer.Reply {
        let address =
            email.map {
                #","email":"\#($0)","emailVerified":true,"#
                    + #""providerUserInfo":[{"providerId":"password","rawId":"\#($0)","email":"\#($0)"}]"#
            } ?? ""
        return .json(
            #"{"users":[{"localId":"\#(uid)","createdAt":"1790000000123","lastLoginAt":"1790000000456"\#(address)}]}"#
        )
    }

    static let action = String(repeating: "aB3-_", count: 10) + "wxyz"
    static let link = "https://example.com/auth/action?mode=signIn&lang=en&oobCode=\(action)&apiKey=k"
}

/// Returns the code of the error that a call throws; an expectation fails if it throws none.
func code(
    sourceLocation: SourceLocation = #_sourceLocation,
    of call: () async throws -> some Any
) async -> AuthError.Code? {
    do {
        _ = try await call()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        return nil
    } catch {
        return (error as? AuthError)?.code
    }
}
