internal import Dispatch
internal import Network
internal import Synchronization
internal import Transfer

/// Asks Firebase: Identity Toolkit and the token service, with the bounds of ``FirebaseTurns`` and ``FirebaseBreaker``.
///
/// A question waits in a task and on a thread of its own client, never on a thread that serves.
final class FirebaseUpstream: Sendable {
    private struct State {
        var turns: FirebaseTurns
        var breaker = FirebaseBreaker()
        var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var clients: [HTTPClient]
        var lastID: UInt64 = 0
        /// Whether a task will look for a turn when the common allowance admits one.
        var isScheduled = false
    }

    private let upstream: String?
    private let state: Mutex<State>
    private let logger: Log
    private let sampler: LogSampler
    private let metrics: FirebaseMetrics

    /// Makes the client without connecting.
    ///
    /// - Parameter timeout: the longest time for each question, in milliseconds.
    init(
        _ firebase: FirebaseConfiguration,
        _ configuration: Configuration,
        metrics: FirebaseMetrics,
        logger: Log,
        sampler: LogSampler,
        timeout: Int = 10_000
    ) {
        var limits = HTTPClient.Limits()
        limits.connectTimeout = timeout / 2
        limits.totalTimeout = timeout
        limits.maximumBody = 1 << 20
        limits.gate = configuration.providerGate
        upstream = firebase.upstream
        var bounds = FirebaseTurns.Limits()
        bounds.perSecond = Double(firebase.asksPerSecond)
        let clients = (0..<bounds.lanes).map { [limits] _ in HTTPClient(limits: limits) }
        state = Mutex(State(turns: FirebaseTurns(bounds, at: Self.now()), clients: clients))
        self.logger = logger
        self.sampler = sampler
        self.metrics = metrics
    }

    /// Milliseconds of a clock that never goes back.
    private static func now() -> Int64 { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) }

    /// Whether the breaker is open.
    var isPaused: Bool { state.withLock { $0.breaker.isOpen } }

    /// Asks, once it is the network's turn.
    ///
    /// - Parameters:
    ///   - request: the request; its URL is the path and query on the host.
    ///   - host: the host.
    ///   - client: the address of the client for whom the server asks.
    /// - Returns: the answer with a status below 500 other than 429.
    /// - Throws: ``FirebaseUndecided``.
    func ask(_ request: HTTPRequest, of host: FirebaseHost, for client: IPAddress) async throws -> HTTPResponse {
        try await turn(of: client)
        guard let lane = state.withLock({ $0.clients.popLast() }) else {
            finish(nil, success: nil)
            throw FirebaseUndecided(.own)
        }
        var request = request
        request.url = host.url(request.url, upstream: upstream)
        do {
            let response = try await lane.send(request)
            let isJSON = response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
            let isDown = response.status >= 500 || response.status == 429
            // A page in place of JSON decides nothing. It may answer what the client wrote, so it does not count for the
            // breaker, which stops the questions of all clients.
            finish(lane, success: isDown ? false : isJSON ? true : nil)
            metrics.count(isDown || !isJSON ? .failed : .answered)
            guard !isDown, isJSON else {
                throw FirebaseUndecided(response.status == 429 ? .quota : .unavailable)
            }
            return response
        } catch let error as TransferError where error.kind == .invalid {
            // Nothing was asked. A client must not be able to open the breaker, whatever it sends.
            finish(lane, success: nil)
            throw FirebaseUndecided(.own)
        } catch let error as TransferError {
            finish(lane, success: false)
            metrics.count(.failed)
            sampler("firebase.unreachable", "reason", detail: "\(error)")
            throw FirebaseUndecided(.unavailable)
        }
    }

    /// Waits for the turn of the client's network.
    private func turn(of client: IPAddress) async throws {
        let isAdmitted = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let refusal: FirebaseUndecided.Reason? = state.withLock { state in
                let now = Self.now()
                state.lastID += 1
                // The allowance comes first, so that a client cannot take every question that finds out for itself.
                guard state.turns.spend(client, at: now) else { return .busy }
                guard state.breaker.admits(at: now) else { return .paused }
                guard state.turns.enqueue(state.lastID, of: client, at: now) else {
                    state.breaker.release()
                    return .busy
                }
                state.waiters[state.lastID] = continuation
                return nil
            }
            if refusal != nil {
                continuation.resume(returning: false)
            } else {
                pump()
            }
        }
        guard isAdmitted else { throw FirebaseUndecided(isPaused ? .paused : .busy) }
    }

    /// Lets the questions go whose turn has come.
    private func pump() {
        var resumed: [(CheckedContinuation<Bool, Never>, Bool)] = []
        let pause: Int64? = state.withLock { state in
            let now = Self.now()
            while let step = state.turns.next(at: now) {
                switch step {
                case .ask(let id):
                    if let waiter = state.waiters.removeValue(forKey: id) { resumed.append((waiter, true)) }
                case .giveUp(let id):
                    state.breaker.release()
                    if let waiter = state.waiters.removeValue(forKey: id) { resumed.append((waiter, false)) }
                }
            }
            guard !state.isScheduled, let pause = state.turns.pause(at: now) else { return nil }
            state.isScheduled = true
            return pause
        }
        for (waiter, isAdmitted) in resumed { waiter.resume(returning: isAdmitted) }
        guard let pause else { return }
        Task {
            try? await Task.sleep(for: .milliseconds(pause))
            self.state.withLock { $0.isScheduled = false }
            self.pump()
        }
    }

    /// Returns a client and records the outcome, if the question had one; while the breaker is open, gives up all that wait.
    private func finish(_ lane: HTTPClient?, success: Bool?) {
        var change: Bool?
        let given: [CheckedContinuation<Bool, Never>] = state.withLock { state in
            if let lane { state.clients.append(lane) }
            state.turns.finish()
            let wasOpen = state.breaker.isOpen
            if let success {
                state.breaker.record(success: success, at: Self.now(), random: Double.random(in: 0..<1))
            } else {
                state.breaker.release()
            }
            if state.breaker.isOpen != wasOpen { change = state.breaker.isOpen }
            guard state.breaker.isOpen else { return [] }
            return state.turns.giveUpAll().compactMap { state.waiters.removeValue(forKey: $0) }
        }
        if let change { logger(change ? "firebase.paused" : "firebase.back") }
        for waiter in given { waiter.resume(returning: false) }
        pump()
    }
}
