/// Carries one HTTP request to the server and brings the answer back.
///
/// An app on Apple platforms uses ``URLSessionTransport``; elsewhere a transport is handed in. A transport does not
/// retry, does not follow redirects, and keeps no cookies: ``Auth`` decides what may be sent again.
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status.
    ///
    /// - Parameter request: What to send. Its `timeout` is a limit for the whole exchange.
    /// - Returns: The answer. A status of 400 or 500 is an answer, not an error.
    /// - Throws: ``TransportFailure``, or any other error, when there is no complete answer.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends a request and hands out the answer's body as it comes, for listening.
    ///
    /// - Parameter request: What to send. Its `timeout` limits the waiting for the next bytes, not the whole exchange.
    /// - Returns: The head of the answer, whatever its status, and the body to come.
    /// - Throws: ``TransportStreamsUnsupported`` where a transport does not define this method; ``TransportFailure``, or
    ///   any other error, when there is no answer.
    func stream(_ request: TransportRequest) async throws -> TransportStream
}

extension Transport {
    /// Throws ``TransportStreamsUnsupported``: a transport need not be able to listen.
    public func stream(_ request: TransportRequest) async throws -> TransportStream {
        throw TransportStreamsUnsupported()
    }
}

/// One HTTP request as ``Auth`` makes it.
public struct TransportRequest: Sendable {
    /// The method: `GET`, `PUT`, `POST`, `PATCH` or `DELETE`.
    public var method: String
    /// The absolute URL, `http` or `https`.
    public var url: String
    /// Header fields in the order in which they are sent.
    public var headers: [HeaderField]
    /// The body, empty for none.
    public var body: [UInt8]
    /// How long the whole exchange may take.
    public var timeout: Duration

    /// Makes a request.
    public init(method: String, url: String, headers: [HeaderField], body: [UInt8], timeout: Duration) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// One HTTP answer.
public struct TransportResponse: Sendable {
    /// The HTTP status, for example 200.
    public var status: Int
    /// Header fields as they came.
    public var headers: [HeaderField]
    /// The body, complete.
    public var body: [UInt8]

    /// Makes an answer.
    public init(status: Int, headers: [HeaderField], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header field with this name; names are compared without case (RFC 9110, 5.1).
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The beginning of an HTTP answer whose body is still coming.
public struct TransportStream: Sendable {
    /// The HTTP status, for example 200.
    public var status: Int
    /// Header fields as they came.
    public var headers: [HeaderField]
    /// The body, in pieces of any size; throws when the connection breaks.
    ///
    /// The connection is given up when nobody reads this any more.
    public var body: AsyncThrowingStream<[UInt8], any Error>

    /// Makes an answer.
    public init(status: Int, headers: [HeaderField], body: AsyncThrowingStream<[UInt8], any Error>) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// This transport carries no streams.
public struct TransportStreamsUnsupported: Error, Sendable {
    /// Makes the error.
    public init() {}
}

/// A header field's name and value.
public struct HeaderField: Sendable, Equatable {
    /// The name, in any case.
    public var name: String
    /// The value, without the line's end.
    public var value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// There was no complete answer: nobody listens, the connection broke, time ran out.
public struct TransportFailure: Error, Sendable, CustomStringConvertible {
    /// What happened, for a person; it holds no part of the request.
    public let reason: String
    /// The reason.
    public var description: String { reason }

    /// Makes a failure.
    public init(_ reason: String) {
        self.reason = reason
    }
}
