/// Sends HTTP requests to the server.
///
/// An app on Apple platforms uses ``URLSessionTransport``; on other platforms, the app provides a transport. A
/// transport does not retry, does not follow redirects, and keeps no cookies: ``Auth`` decides which requests may be
/// sent again.
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status.
    ///
    /// - Parameter request: the request. Its `timeout` limits the whole exchange.
    /// - Returns: the answer. A status of 400 or 500 is an answer, not an error.
    /// - Throws: ``TransportFailure``, or any other error, when there is no complete answer.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends a request and returns the answer's body as it arrives, for listening.
    ///
    /// - Parameter request: the request. Its `timeout` limits the wait for the next bytes, not the whole exchange.
    /// - Returns: the head of the answer, whatever its status, and the stream of its body.
    /// - Throws: ``TransportStreamsUnsupported`` if a transport does not implement this method; ``TransportFailure``,
    ///   or any other error, when there is no answer.
    func stream(_ request: TransportRequest) async throws -> TransportStream
}

extension Transport {
    /// Throws ``TransportStreamsUnsupported``, because a transport need not support listening.
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
    /// The time limit of the whole exchange; for a stream, of the wait for the next bytes.
    public var timeout: Duration

    /// Creates a request.
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
    /// Header fields as received.
    public var headers: [HeaderField]
    /// The complete body.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, headers: [HeaderField], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the value of the first header field with this name, ignoring case (RFC 9110, 5.1); `nil` without one.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// An HTTP answer whose body is still arriving.
public struct TransportStream: Sendable {
    /// The HTTP status, for example 200.
    public var status: Int
    /// Header fields as received.
    public var headers: [HeaderField]
    /// The body, in pieces of any size.
    ///
    /// The sequence throws when the connection breaks.
    ///
    /// The connection is closed when the reader of the body stops.
    public var body: AsyncThrowingStream<[UInt8], any Error>

    /// Creates an answer.
    public init(status: Int, headers: [HeaderField], body: AsyncThrowingStream<[UInt8], any Error>) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// An error of a transport that does not support streams.
public struct TransportStreamsUnsupported: Error, Sendable {
    /// Creates the error.
    public init() {}
}

/// A header field's name and value.
public struct HeaderField: Sendable, Equatable {
    /// The name, in upper or lower case.
    public var name: String
    /// The value, without the line end.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A missing or incomplete answer: no server listens, the connection broke, or time ran out.
public struct TransportFailure: Error, Sendable, CustomStringConvertible {
    /// The reason for people, without any part of the request.
    public let reason: String
    /// The reason.
    public var description: String { reason }

    /// Creates a failure.
    public init(_ reason: String) {
        self.reason = reason
    }
}
