import Foundation
import HTTPServer
import Synchronization

/// A running server and its reported events.
final class TestServer: Sendable {
    let server: Server
    let port: UInt16
    private let listen: String
    private let events: Log

    private init(server: Server, listen: String, port: UInt16, events: Log) {
        self.server = server
        self.listen = listen
        self.port = port
        self.events = events
    }

    /// Runs a server during `body`, which has a separate thread and may therefore block.
    static func run(
        listen: String = "127.0.0.1:0",
        configure: (inout HTTPConfiguration) -> Void = { _ in },
        routes: (inout Router) -> Void = { _ in },
        _ body: @escaping @Sendable (TestServer) throws -> Void
    ) async throws {
        guard let address = ListenAddress(listen) else { throw Client.Broken(description: "no address: \(listen)") }
        var configuration = HTTPConfiguration(listen: address)
        configuration.maximumConnectionsPerAddress = nil
        configure(&configuration)
        var router = Router()
        router.add(.get, "/hello") { _ in .response(.text("hello")) }
        router.add(.post, "/echo") { request in
            .response(Response(headers: [("X-Length", "\(request.body.count)")], body: request.body))
        }
        routes(&router)
        let events = Log()
        let server = Server(
            configuration: configuration,
            router: router,
            errorResponse: { error, request in
                let status = (error as? HTTPError)?.status ?? 500
                let code = (error as? HTTPError)?.code ?? "INTERNAL_ERROR"
                return .json(status: status, Array(#"{"error":"\#(code)"}"#.utf8))
            },
            onEvent: { events.add("\($0)") }
        )
        let port = try server.start().port
        let test = TestServer(server: server, listen: listen, port: port, events: events)
        try await onThread {
            defer { server.stop(within: .zero) }
            try body(test)
        }
    }

    func connect(from source: String? = nil, patience: Int = 20) throws -> Client {
        let host = listen.hasPrefix("127.") ? String(listen.prefix { $0 != ":" }) : "127.0.0.1"
        return try Client(port: port, host: host, from: source, patience: patience)
    }

    var reported: [String] { events.lines }
}

/// Lines that any thread may add.
final class Log: Sendable {
    private let state = Mutex<[String]>([])

    func add(_ line: String) {
        state.withLock { $0.append(line) }
    }

    var lines: [String] { state.withLock(\.self) }
}

/// Runs a blocking closure on a separate thread, because the cooperative pool has too few threads.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withTaskExecutorPreference(OwnThreads()) { try await onCurrentExecutor(body) }
}

@concurrent private func onCurrentExecutor<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
    try body()
}

/// Runs each job of a task on a new thread.
private final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        Thread.detachNewThread { unsafe job.runSynchronously(on: executor) }
    }
}

/// The factor by which timeouts are longer than usual, because sanitizers slow the server down.
let patience = ProcessInfo.processInfo.environment["LATCHKEY_TEST_PATIENCE"].flatMap { Int($0) } ?? 1

/// Waits until a condition holds; returns false if it does not in time.
func eventually(within seconds: Double = 10, _ condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds * Double(patience))
    while !condition() {
        guard Date() < end else { return false }
        usleep(5000)
    }
    return true
}
