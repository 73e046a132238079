internal import Dispatch
internal import Glibc

/// SIGTERM and SIGINT as events to wait for, instead of the end of the process.
final class StopSignals: @unchecked Sendable {  // the sources are only kept alive, never touched after `init`
    private let signals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Replaces the default action of the two signals, which would end the process.
    init() {
        let (signals, continuation) = AsyncStream<Void>.makeStream()
        self.signals = signals
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
    }

    /// Returns at the first signal.
    func wait() async {
        for await _ in signals { return }
    }
}

/// Runs blocking work on a separate thread.
func runOnThread(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "latchkey.blocking").async(execute: body)
}
