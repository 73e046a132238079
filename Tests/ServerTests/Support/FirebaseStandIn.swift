import Foundation
import HTTPServer
import JSON
import Synchronization
import Testing

/// Google's three hosts as a test has them: another Latchkey, behind a server that gives refresh tokens another shape and
/// can fail as Google's hosts fail.
final class FirebaseStandIn: Sendable {
    /// What the hosts do with a question.
    enum Manner: Sendable {
        case answer
        /// Answers this without a change at Firebase.
        case say(status: Int, String, type: String = "application/json")
        /// Sends the asker to another URL.
        case redirect(String)
        /// Does what was asked, and then closes the connection in the middle of the answer.
        case lose
        /// Does what was asked, and answers, once the test signals.
        case hold(DispatchSemaphore)
    }

    struct Question: Sendable {
        let path: String
        let query: String
        let headers: [String: String]
        let body: String
    }

    private struct Lost: Error {}

    private final class Shared: Sendable {
        let state = Mutex<(manners: [String: Manner], questions: [Question])>(([:], []))
    }

    static let keysPath = "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    private static let shape = "AMf-"

    let port: UInt16
    private let server: Server
    private let shared: Shared

    /// Listens on a free port, in front of the server at this port.
    init(before old: UInt16) throws {
        let shared = Shared()
        var router = Router()
        let handler: Handler = { request in
            .async { try await TestServer.inThread { try Self.answer(request, old, shared) } }
        }
        for path in [
            "/identitytoolkit.googleapis.com/v1/{call}", "/identitytoolkit.googleapis.com/v2/{call}",
            "/securetoken.googleapis.com/v1/token", Self.keysPath,
        ] {
            for method in [Method.get, .post] { router.add(method, path, cors: false, handler) }
        }
        let address = try #require(ListenAddress("127.0.0.1:0"))
        server = Server(
            configuration: HTTPConfiguration(listen: address),
            router: router,
            errorResponse: { error, _ in Response.text(status: 502, "\(error)") },
            onEvent: { _ in }
        )
        self.shared = shared
        port = try server.start().port
    }

    func stop() { server.stop(within: .zero) }

    /// Changes what happens to questions whose path contains a text; to all for the empty text.
    func behave(_ manner: Manner, to part: String = "") {
        shared.state.withLock { $0.manners[part] = manner }
    }

    /// Everything works again.
    func recover() { shared.state.withLock { $0.manners = [:] } }

    /// The questions, without those for keys.
    var questions: [Question] { shared.state.withLock { $0.questions } }

    func count(_ part: String) -> Int { questions.count { $0.path.contains(part) } }

    /// A refresh token in the shape that this side gives it.
    static func wrapped(_ token: String) -> String { shape + String(token.reversed()) }

    private static func unwrapped(_ token: String) -> String {
        token.hasPrefix(shape) ? String(token.dropFirst(shape.count).reversed()) : token
    }

    private static func answer(_ request: Request, _ old: UInt16, _ shared: Shared) throws -> Response {
        let manner = shared.state.withLock { state -> Manner in
            if request.path != keysPath {
                let headers = request.headers.map { ($0.name.lowercased(), $0.value) }
                state.questions.append(
                    Question(
                        path: request.path,
                        query: request.query,
                        headers: Dictionary(headers) { first, _ in first },
                        body: String(decoding: request.body, as: UTF8.self)
                    )
                )
            }
            let matching = state.manners.filter { $0.key.isEmpty || request.path.contains($0.key) }
            return matching.max { $0.key.count < $1.key.count }?.value ?? .answer
        }
        if case .say(let status, let text, let type) = manner {
            return Response(status: status, headers: [("Content-Type", type)], body: Array(text.utf8))
        }
        if case .redirect(let url) = manner {
            let headers = [("Location", url), ("Content-Type", "application/json")]
            return Response(status: 307, headers: headers, body: Array("{}".utf8))
        }
        if case .hold(let signal) = manner {
            signal.wait()
            // For the other questions that are held.
            signal.signal()
        }
        let answer = try ask(request, old)
        if case .lose = manner { throw Lost() }
        guard var object = answer.json.object else {
            return Response(status: answer.status, headers: [("Content-Type", "text/plain")], body: answer.body)
        }
        for name in ["refreshToken", "refresh_token"] {
            if let token = object[name]?.string { object[name] = .string(wrapped(token)) }
        }
        return .json(status: answer.status, JSONValue.object(object).serialized())
    }

    private static func ask(_ request: Request, _ old: UInt16) throws -> Answer {
        var body = request.body
        var path = request.path
        if path == keysPath { path = "/.well-known/jwks.json" }
        if path.hasPrefix("/securetoken"), let token = String(decoding: body, as: UTF8.self).split(separator: "=").last
        {
            body = Array("grant_type=refresh_token&refresh_token=\(unwrapped(String(token)))".utf8)
        }
        let connection = try HTTPConnection(port: old)
        let type = request.header("Content-Type") ?? "application/json"
        let headers = ["Content-Type: \(type)", TestServer.webSDK]
        let target = request.query.isEmpty ? path : "\(path)?\(request.query)"
        let method = request.method == .get ? "GET" : "POST"
        try connection.send(TestServer.request(method, target, headers: headers, body: body))
        return try connection.answer()
    }
}

extension TestServer {
    /// The header by which a server knows Firebase's web SDK.
    static let webSDK = "X-Client-Version: Chrome/JsCore/11.3.1/FirebaseCore-web"
}
