internal import JSON

/// The state of one loop over events: the connection, and what is needed to reconnect.
struct DocumentListener {
    private let auth: Auth
    private let collection: String?
    private let onAccount: (@Sendable (AccountEvent) async -> Void)?
    /// The number of the last event, from which the next connection continues; `nil` to start at the present.
    private var number: Int64?
    private var uid: String?
    /// The ID token of the last connection; `nil` before the first.
    private var token: String?
    private var connection: Connection?
    private var connectedAt = ContinuousClock.now
    private var mustRenew = false
    private var wasConnected = false
    private var failures = 0
    private var isOver = false

    /// How long a connection may be silent before it counts as broken.
    ///
    /// The server sends something every 15 seconds.
    private static let idleTimeout = Duration.seconds(45)
    private static let longestPause = Duration.seconds(30)

    init(
        auth: Auth,
        collection: String?,
        number: Int64?,
        onAccount: (@Sendable (AccountEvent) async -> Void)?
    ) {
        self.auth = auth
        self.collection = collection
        self.onAccount = onAccount
        self.number = number
    }

    mutating func next() async throws(AuthError) -> DocumentEvent? {
        while !isOver, !Task.isCancelled {
            do throws(AuthError) {
                guard let event = try await nextOfServer() else { continue }
                if case .ended = event { isOver = true }
                number = event.number ?? number
                return event
            } catch {
                if Task.isCancelled { break }
                guard isWorthRetrying(error) else {
                    isOver = true
                    if wasConnected, let end = Self.end(told: error) { return .ended(end) }
                    throw error
                }
                if connection != nil, connectedAt.duration(to: .now) > Self.longestPause { failures = 0 }
                connection = nil
                let pause = pause(after: error)
                failures += 1
                try? await Task.sleep(for: pause)
            }
        }
        isOver = true
        connection = nil
        return nil
    }

    /// Returns an event for the listener; `nil` if there is none yet.
    private mutating func nextOfServer() async throws(AuthError) -> DocumentEvent? {
        if connection == nil {
            if let end = try await connect() { return end }
        }
        guard let event = try await connection?.next() else {
            throw AuthError(.networkRequestFailed, detail: "the connection ended", isTransient: true)
        }
        failures = 0
        switch event.name {
        case "ready": return .ready(number: try Self.number(of: event))
        case "reset": return .reset(number: try Self.number(of: event))
        case "change": return try change(event)
        case "end": return try await end(event)
        case "account":
            if let event = AccountEvent(event) { await onAccount?(event) }
            return nil
        // An event of a newer server.
        default: return nil
        }
    }

    /// Connects for the same user as before.
    ///
    /// - Returns: `nil` when connected; the final event when no user or another user is signed in by now.
    /// - Throws: ``AuthError/Code/noCurrentUser``, ``AuthError/Code/invalidDocumentName``, and the errors of the
    ///   token's renewal and of the request.
    private mutating func connect() async throws(AuthError) -> DocumentEvent? {
        guard let present = auth.currentUser?.uid else {
            guard uid == nil else { return .ended(.signedOut) }
            throw AuthError(.noCurrentUser)
        }
        let token = try await auth.idToken(forcingRefresh: mustRenew)
        guard let owner = IDTokenClaims(unverified: token)?.sub, owner == uid ?? present else {
            return .ended(.sessionEnded)
        }
        uid = owner
        self.token = token
        var path = "/v1/documents:listen"
        if let collection {
            guard DocumentPath.isName(collection) else { throw AuthError(.invalidDocumentName) }
            path += "?collection=\(collection)"
        }
        var call = API.Call(method: "GET", path: path, type: nil, bearer: token)
        call.headers = [HeaderField("Accept", "text/event-stream")]
        if let number { call.headers.append(HeaderField("Last-Event-ID", String(number))) }
        do {
            connection = Connection(try await auth.api.stream(call, idleTimeout: Self.idleTimeout))
        } catch {
            // The device's clock may have changed, so the token is renewed once, as elsewhere.
            guard error.serverCode == "TOKEN_EXPIRED", !mustRenew else { throw error }
            mustRenew = true
            return try await connect()
        }
        mustRenew = false
        wasConnected = true
        connectedAt = .now
        return nil
    }

    private mutating func change(_ event: ServerEvent) throws(AuthError) -> DocumentEvent? {
        let number = try Self.number(of: event)
        guard let data = JSONValue.parse(answer: Array(event.data.utf8)), let path = DocumentPath(data) else {
            throw Self.unreadable
        }
        if data["deleted"]?.bool == true { return .deleted(path, number: number) }
        if data["superseded"]?.bool == true {
            self.number = number
            return nil
        }
        guard let document = Document(data) else { throw Self.unreadable }
        return .changed(document)
    }

    private mutating func end(_ event: ServerEvent) async throws(AuthError) -> DocumentEvent? {
        connection = nil
        let data = JSONValue.parse(answer: Array(event.data.utf8))
        let reason = ListeningEnd(rawValue: data?["reason"]?.string ?? ListeningEnd.sessionEnded.rawValue)
        switch reason {
        case .tokenExpired:
            mustRenew = true
            return nil
        case .serverStopping:
            throw AuthError(.networkRequestFailed, detail: "the server is stopping", isTransient: true)
        case .merged, .deleted, .disabled:
            return .ended(reason, mergedInto: data?["mergedInto"]?.string)
        default:
            // Linking ends a guest's sessions, and this device may have linked the guest. Then there is a new session
            // of the same user, once the linking call has finished.
            let auth = auth, token = token, uid = uid
            let goesOn = await auth.result { () async throws(AuthError) in
                let session = try auth.session()
                return session.user.uid == uid && session.idToken != token
            }
            return (try? goesOn.get()) == true ? nil : .ended(reason)
        }
    }

    /// Whether to connect again after an error.
    ///
    /// The result is `false` for permanent errors, and for all errors until the first connection has succeeded.
    private func isWorthRetrying(_ error: AuthError) -> Bool {
        guard wasConnected else { return false }
        return error.isTransient || [.tooManyRequests, .tooManyStreams].contains(error.code)
    }

    /// Returns the reason for the end that an error implies; `nil` if the error does not mean that the session has
    /// ended.
    private static func end(told error: AuthError) -> ListeningEnd? {
        switch error.code {
        case .userTokenExpired, .invalidRefreshToken, .noCurrentUser: .sessionEnded
        case .userDisabled: .disabled
        default: nil
        }
    }

    /// Returns how long to wait before the next connection: longer after each failure, up to 30 seconds or the server's
    /// `Retry-After`.
    ///
    /// The time is random, because a stopping server disconnects many listeners at once.
    private func pause(after error: AuthError) -> Duration {
        let pause = min(Duration.milliseconds(200) * (1 << min(failures, 8)), Self.longestPause)
        return max(pause * Double.random(in: 0.5...1), error.retryAfter ?? .zero)
    }

    private static func number(of event: ServerEvent) throws(AuthError) -> Int64 {
        guard let number = event.id.flatMap({ Int64($0) }) else { throw unreadable }
        return number
    }

    private static let unreadable = AuthError(
        .networkRequestFailed,
        detail: "the server sent an event that cannot be read",
        isTransient: true
    )
}

/// An open stream of events.
private struct Connection {
    private var body: AsyncThrowingStream<[UInt8], any Error>.Iterator
    private var parser = ServerEventParser()
    private var events: ArraySlice<ServerEvent> = []

    init(_ stream: TransportStream) {
        body = stream.body.makeAsyncIterator()
    }

    /// Returns the next event; `nil` when the connection has ended.
    mutating func next() async throws(AuthError) -> ServerEvent? {
        while true {
            if let event = events.popFirst() { return event }
            let bytes: [UInt8]?
            do {
                bytes = try await body.next(isolation: #isolation)
            } catch {
                throw AuthError(.networkRequestFailed, detail: "\(error)", isTransient: true)
            }
            guard let bytes else { return nil }
            guard let events = parser.take(bytes) else {
                throw AuthError(
                    .networkRequestFailed,
                    detail: "the server sent an event that is too large",
                    isTransient: true
                )
            }
            self.events = events[...]
        }
    }
}
