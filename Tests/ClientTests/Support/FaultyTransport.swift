import LatchkeyApp
import LatchkeyClient
import Synchronization

/// A network that loses answers that the server has given, and cuts streams.
final class FaultyTransport: Transport {
    private let losses: Mutex<Int>
    private let call: String
    private let cutsStreams: Bool

    /// - Parameters:
    ///   - losses: the number of answers to lose.
    ///   - call: the call whose answers are lost, by the end of its URL.
    ///   - cuttingStreams: whether streams end after a few pieces.
    init(losing losses: Int = 0, of call: String = "", cuttingStreams: Bool = false) {
        self.losses = Mutex(losses)
        self.call = call
        cutsStreams = cuttingStreams
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let response = try await URLSessionTransport().send(request)
        guard request.url.hasSuffix(call) else { return response }
        let isLost = losses.withLock { losses in
            losses -= 1
            return losses >= 0
        }
        if isLost { throw TransportFailure("lost") }
        return response
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        var stream = try await URLSessionTransport().stream(request)
        guard cutsStreams else { return stream }
        let whole = stream.body
        // Cut anywhere, also in the middle of an event.
        stream.body = AsyncThrowingStream { continuation in
            let reading = Task {
                var pieces = Int.random(in: 1...8)
                for try await bytes in whole {
                    pieces -= 1
                    continuation.yield(pieces > 0 ? bytes : Array(bytes.prefix(Int.random(in: 0...bytes.count))))
                    if pieces == 0 { break }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in reading.cancel() }
        }
        return stream
    }
}
