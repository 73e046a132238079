internal import JSON

/// One loop's listening: the connection, and what it takes to make it anew.
struct DocumentListener {
    private let auth: Auth
    private let collection: String?
    /// Of the last event; where the next connection goes on.
    private var number: Int64?
    private var uid: String?
    /// The token of the connection.
    private var token: String?
    private var connection: Connection?
    private var connectedAt = ContinuousClock.now
    private var mustRenew = false
    private var wasConnected = false
    private var failures = 0
    private var isOver = false

    /// The server says something every 15 seconds.
    private static let idleTimeout = Duration.seconds(45)
    private static let longestPause = Duration.seconds(30)

    init(auth: Auth, collection: String?, number: Int64?) {
        self.auth = auth
        self.collection = collection
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

    /// An event for the listener; `nil` when there was none for it yet.
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
        // Of a newer server.
        default: return nil
        }
    }

    /// Connects for the same user as before.
    ///
    /// - Returns: The end, when somebody else is signed in by now.
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
            // A clock that jumped: renewed once, as elsewhere.
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
            // Linking ends a guest's sessions, and this device may be the one that linked: then there is a new session of
            // the same user, once the call in which that happens is through.
            let auth = auth, token = token, uid = uid
            let goesOn = await auth.result { () async throws(AuthError) in
                let session = try auth.session()
                return session.user.uid == uid && session.idToken != token
            }
            return (try? goesOn.get()) == true ? nil : .ended(reason)
        }
    }

    /// What fails at first is told; once a connection was made, only what would fail again is.
    private func isWorthRetrying(_ error: AuthError) -> Bool {
        guard wasConnected else { return false }
        return error.isTransient || [.tooManyRequests, .tooManyStreams].contains(error.code)
    }

    /// The end that a refused token tells of, where no event could.
    private static func end(told error: AuthError) -> ListeningEnd? {
        switch error.code {
        case .userTokenExpired, .invalidRefreshToken, .noCurrentUser: .sessionEnded
        case .userDisabled: .disabled
        default: nil
        }
    }

    /// Longer with each failure, and never the same for many listeners that a stopping server lost at once.
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
        detail: "an event that cannot be read",
        isTransient: true
    )
}

/// A stream of events that is open.
private struct Connection {
    private var body: AsyncThrowingStream<[UInt8], any Error>.Iterator
    private var parser = ServerEventParser()
    private var events: ArraySlice<ServerEvent> = []

    init(_ stream: TransportStream) {
        body = stream.body.makeAsyncIterator()
    }

    /// The next event; `nil` when the connection ended.
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
                throw AuthError(.networkRequestFailed, detail: "an event beyond all limits", isTransient: true)
            }
            self.events = events[...]
        }
    }
}
