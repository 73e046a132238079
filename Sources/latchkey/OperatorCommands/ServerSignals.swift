internal import Dispatch
internal import Glibc

/// The signals that steer a running server, as events to wait for.
final class ServerSignals: @unchecked Sendable {  // the sources are only kept alive, never touched after `init`
    /// What a signal asks for.
    enum Request: Sendable {
        /// SIGTERM or SIGINT.
        case stop
        /// SIGHUP.
        case reload
    }

    private let requests: AsyncStream<Request>
    private let sources: [any DispatchSourceSignal]

    /// Replaces the default action of the signals, which would end the process.
    init() {
        let (requests, continuation) = AsyncStream<Request>.makeStream()
        self.requests = requests
        sources = [(SIGTERM, Request.stop), (SIGINT, .stop), (SIGHUP, .reload)].map { number, request in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(request) }
            source.resume()
            return source
        }
    }

    /// Waits for a signal to stop, and calls a closure at each signal to reload before it.
    func waitForStop(reload: () async -> Void = {}) async {
        for await request in requests {
            switch request {
            case .stop: return
            case .reload: await reload()
            }
        }
    }

    /// Waits for another signal to stop, at most for a time.
    func waitForStop(atMost time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForStop() }
            group.addTask { try? await Task.sleep(for: time) }
            _ = await group.next()
            group.cancelAll()
        }
    }
}

/// Runs blocking work on a separate thread.
func runOnThread(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "latchkey.blocking").async(execute: body)
}
