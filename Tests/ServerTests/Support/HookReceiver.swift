import HTTPServer
import JSON
import Synchronization

/// A service of the operator: a real HTTP server that keeps the messages it receives and answers as configured.
final class HookReceiver: Sendable {
    /// A message as received.
    struct Message: Sendable {
        let event: String
        let id: String
        let timestamp: String
        let signature: String
        let body: [UInt8]
        let json: JSONValue

        /// A member of `data`.
        subscript(_ name: String) -> String { json["data"]?[name]?.string ?? "" }
    }

    /// The behavior of the receiver.
    enum Manner: Sendable {
        /// Accepts, after a random delay of at most this many milliseconds.
        case accept(within: Int = 0)
        case refuse(status: Int, body: String)
        case redirect(to: String)
        /// Does not answer until the behavior changes.
        case hang
        /// Sends an endless body, a byte at a time.
        case drip
        /// Sends a body that is too long for any client.
        case flood
    }

    private struct State {
        var messages: [Message] = []
        var manner = Manner.accept()
        /// The behavior for specific events.
        var exceptions: [String: Manner] = [:]
    }

    let port: UInt16
    private let server: Server
    private let state: Shared

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    /// Listens on a free port of 127.0.0.1, on every path.
    init() throws {
        var router = Router()
        let state = Shared()
        self.state = state
        for method in [Method.get, .post] {
            router.add(method, "/hook", cors: false) { request in
                let manner = state.state.withLock { Self.take(request, &$0) }
                return Self.answer(manner, state)
            }
        }
        guard let address = ListenAddress("127.0.0.1:0") else { throw Unavailable() }
        server = Server(
            configuration: HTTPConfiguration(listen: address),
            router: router,
            errorResponse: { _, _ in Response(status: 500) },
            onEvent: { _ in }
        )
        port = try server.start().port
    }

    struct Unavailable: Error {}

    var url: String { "http://127.0.0.1:\(port)/hook" }

    /// All received messages, in order.
    var messages: [Message] { state.state.withLock { $0.messages } }

    func messages(_ event: String) -> [Message] { messages.filter { $0.event == event } }

    /// Changes the behavior, for one kind of message or for all.
    func behave(_ manner: Manner, to event: String? = nil) {
        state.state.withLock { state in
            if let event { state.exceptions[event] = manner } else { state.manner = manner }
        }
    }

    func stop() { server.stop(within: .zero) }

    private static func take(_ request: Request, _ state: inout State) -> Manner {
        guard let json = try? JSONValue.parse(request.body), let event = json["type"]?.string else {
            return .refuse(status: 400, body: "")
        }
        state.messages.append(
            Message(
                event: event,
                id: request.header("webhook-id") ?? "",
                timestamp: request.header("webhook-timestamp") ?? "",
                signature: request.header("webhook-signature") ?? "",
                body: request.body,
                json: json
            )
        )
        return state.exceptions[event] ?? state.manner
    }

    private static func answer(_ manner: Manner, _ state: Shared) -> Handling {
        switch manner {
        case .accept(within: 0): .response(Response(status: 204))
        case .accept(let most):
            .async {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...most)))
                return Response(status: 204)
            }
        case .refuse(let status, let body): .response(.json(status: status, Array(body.utf8)))
        case .redirect(let url): .response(.redirect(to: url, status: 307))
        case .hang:
            .async {
                while true {
                    try await Task.sleep(for: .milliseconds(20))
                    let isOver = state.state.withLock { state in
                        if case .hang = state.exceptions["merge.prepare"] ?? state.manner { false } else { true }
                    }
                    if isOver { return Response(status: 204) }
                }
            }
        case .drip:
            .stream(Response()) { writer in
                Task {
                    while case .accepted = writer.write([0x20]) { try? await Task.sleep(for: .milliseconds(100)) }
                    writer.finish()
                }
            }
        case .flood: .response(.json([UInt8](repeating: 0x20, count: 1 << 20)))
        }
    }
}
