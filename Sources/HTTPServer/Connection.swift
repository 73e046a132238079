internal import Synchronization
internal import Telemetry

/// A client's connection and its current request.
///
/// Used only on its libmicrohttpd thread. `record` holds what other threads may access.
final class Connection {
    enum Phase {
        /// Between requests, or while the head arrives.
        case idle
        /// The body is arriving.
        case receiving
        /// The request is suspended, and other threads work on it.
        case waiting(Suspension)
        /// libmicrohttpd has the response.
        case answered
    }

    /// The maximum number of parameters in a query.
    static let maximumParameters = 128

    let record: ConnectionRecord
    let handle: ConnectionHandle
    let core: ServerCore
    var phase = Phase.idle
    var method = Method.get
    var path = ""
    var query = ""
    var hasTooManyParameters = false
    var authority: String?
    var match = RouteMatch(kind: .malformed, access: .closed, path: nil)
    var originCount = 0
    var bodyLimit = 0
    var body: [UInt8] = []
    var request: Request?
    var stream: StreamWriter?
    /// Whether the client may still be sending data that will not be read.
    var lingers = false
    /// Tells the current request from others.
    var tag: RequestTag
    /// When the current request began, in nanoseconds.
    private(set) var began = 0
    /// The number of requests that the connection has begun.
    private(set) var requestCount: UInt64 = 0

    init(handle: ConnectionHandle, record: ConnectionRecord, core: ServerCore) {
        self.handle = handle
        self.record = record
        self.core = core
        tag = RequestTag(seed: core.tagSeed, request: record.id << 24)
    }

    // MARK: Calls from libmicrohttpd

    /// Starts a request when its request line arrives.
    ///
    /// - Parameter query: the part after the `?`.
    func begin(query: String) {
        record.isBusy.store(true, ordering: .releasing)
        record.deadline.store(Moment.after(core.configuration.requestDeadline), ordering: .relaxed)
        self.query = query
        began = Moment.nanoseconds
        requestCount &+= 1
        // Connections have 2²⁴ numbers each, which no connection uses up in its life.
        tag = RequestTag(seed: core.tagSeed, request: record.id << 24 &+ requestCount)
        hasTooManyParameters = query.utf8.count { $0 == UInt8(ascii: "&") } >= Self.maximumParameters
    }

    /// Processes a step of the request: after the head, for each piece of the body, at the body's end, and after each
    /// suspension.
    ///
    /// - Parameters:
    ///   - target: the request target before its query.
    ///   - method: the method's name.
    ///   - piece: a piece of the body, or empty.
    /// - Returns: false to break the connection.
    func handle(
        target: UnsafeBufferPointer<UInt8>,
        method: UnsafePointer<CChar>,
        piece: UnsafeRawBufferPointer
    ) -> Bool {
        if case .idle = phase, record.isTrusted, let traceparent = handle.header("traceparent") {
            tag.follow(traceparent)
        }
        return tag.run {
            switch phase {
            case .idle:
                return unsafe receiveHead(target, method)
            case .receiving:
                return unsafe piece.isEmpty ? dispatch() : receive(piece)
            case .waiting(let suspension):
                return perform(suspension.take() ?? { throw HTTPError.unanswered })
            case .answered:
                return true
            }
        }
    }

    /// Ends the request, whether it succeeded or not.
    func complete() {
        if let stream {
            core.watch.remove(record)
            stream.close()
        }
        record.wait(for: .nothing)
        stream = nil
        request?.detachIfShared()
        request = nil
        body = []
        authority = nil
        phase = .idle
        let now = Moment.now
        record.idleSince.store(now, ordering: .relaxed)
        // The idle time-out ends a silent connection. This deadline ends one that sends very slowly.
        let patience = core.configuration.idleTimeout + core.configuration.requestDeadline
        record.deadline.store(now + Moment.milliseconds(patience), ordering: .relaxed)
        record.hasAnswered.store(true, ordering: .relaxed)
        record.isBusy.store(false, ordering: .releasing)
        record.isReceiving.store(true, ordering: .relaxed)
    }

    /// Ends the connection, before its socket is closed.
    func close() {
        if lingers || handle.unread > 0 { core.watch.linger(record.socket) }
        core.registry.remove(record)
    }
}
