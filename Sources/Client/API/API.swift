#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The calls of the HTTP API, without state about the signed-in user.
struct API: Sendable {
    let configuration: Auth.Configuration
    let transport: any Transport

    /// The maximum number of attempts of a repeatable request whose answer is lost.
    private static let attempts = 3

    /// The maximum number of challenges solved for one call.
    ///
    /// The server may reject a solution because the challenge has expired or the client's address has changed.
    private static let challenges = 3
    private static let solutionHeader = "Challenge-Solution"

    /// A request and how to handle its answer.
    struct Call: Sendable {
        var method = "POST"
        /// The path with an optional query, for example `/v1/accounts:lookup`.
        let path: String
        var body: [UInt8] = []
        /// The content type of the body, if there is one.
        var type: String? = "application/json"
        /// The ID token for the header field `Authorization`; `nil` for calls that have no token or have it in their
        /// body.
        ///
        /// Calls with this token need no API key.
        var bearer: String?
        var headers: [HeaderField] = []
        /// Whether the request may be sent again if no answer arrives.
        var isRepeatable = false
        /// The time that the server may take beside ``Auth/Configuration/requestTimeout``.
        var extraTime = Duration.zero
    }

    /// Sends a JSON request to a call that requires an API key.
    ///
    /// - Parameters:
    ///   - path: for example `/v1/accounts:lookup`.
    ///   - body: the request.
    ///   - repeatable: whether the request may be sent again if no answer arrives.
    /// - Returns: the decoded answer.
    /// - Throws: the server's error, or ``AuthError/Code/networkRequestFailed``.
    func call<Response: Decodable>(
        _ path: String,
        _ body: some Encodable,
        repeatable: Bool = false
    ) async throws(AuthError) -> Response {
        try await call(Call(path: path, body: try Self.encoded(body), isRepeatable: repeatable))
    }

    /// Makes a call and decodes its JSON answer.
    ///
    /// - Throws: as ``send(_:read:)``.
    func call<Response: Decodable>(_ call: Call) async throws(AuthError) -> Response {
        try await send(call) { Self.decoded($0) }
    }

    /// Decodes a JSON answer; `nil` if it is not one of a Latchkey server.
    static func decoded<Response: Decodable>(_ response: TransportResponse) -> Response? {
        try? JSONDecoder().decode(Response.self, from: Data(response.body))
    }

    /// Makes a call, and sends it up to three times if it is repeatable and its answer is lost or garbled.
    ///
    /// A status of 500 or more counts as a lost answer.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - read: parses a successful answer; `nil` if it is not one of a Latchkey server.
    /// - Returns: the parsed answer.
    /// - Throws: the server's error, or ``AuthError/Code/networkRequestFailed``.
    func send<T>(_ call: Call, read: (TransportResponse) -> T?) async throws(AuthError) -> T {
        var pause = Duration.milliseconds(200)
        for _ in 1..<(call.isRepeatable ? Self.attempts : 1) {
            do {
                return try await sendOnce(call, read)
            } catch {
                guard error.isTransient else { throw error }
            }
            try? await Task.sleep(for: pause)
            pause *= 3
        }
        return try await sendOnce(call, read)
    }

    /// Makes a call that may require a proof of work.
    ///
    /// Solves the server's challenge and repeats the call.
    ///
    /// - Throws: as ``send(_:read:)``; ``AuthError/Code/tooManyRequests`` when the server keeps sending challenges, or
    ///   requires more work than this client does; ``AuthError/Code/cancelled`` when the calling task was cancelled
    ///   during the work.
    func callPaying<Response: Decodable>(_ call: Call) async throws(AuthError) -> Response {
        var call = call
        for _ in 0..<Self.challenges {
            do {
                return try await self.call(call)
            } catch {
                guard let challenge = error.challenge, challenge.isSolvable else { throw error }
                let solution = try await challenge.solved()
                call.headers.removeAll { $0.name == Self.solutionHeader }
                call.headers.append(HeaderField(Self.solutionHeader, solution))
            }
        }
        return try await self.call(call)
    }

    /// Makes a call whose answer is a stream of events.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - idleTimeout: how long the stream may be silent before it breaks.
    /// - Returns: the stream, with a status of 200 to 299.
    /// - Throws: the server's error; ``AuthError/Code/streamingUnsupported``, ``AuthError/Code/networkRequestFailed``.
    func stream(_ call: Call, idleTimeout: Duration) async throws(AuthError) -> TransportStream {
        var request = request(call)
        request.timeout = idleTimeout
        let stream: TransportStream
        do {
            stream = try await transport.stream(request)
        } catch is TransportStreamsUnsupported {
            throw AuthError(.streamingUnsupported, detail: "this transport does not support streams")
        } catch {
            throw Self.failure(error)
        }
        guard (200..<300).contains(stream.status) else {
            var body: [UInt8] = []
            do {
                for try await bytes in stream.body where body.count < 65536 { body += bytes }
            } catch {
                throw Self.failure(error)
            }
            throw Self.refusal(TransportResponse(status: stream.status, headers: stream.headers, body: body))
        }
        return stream
    }

    /// Encodes a value as JSON, with sorted keys.
    ///
    /// - Throws: ``AuthError/Code/internalError`` when the value cannot be encoded.
    static func encoded(_ value: some Encodable) throws(AuthError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(value))
        } catch {
            throw AuthError(.internalError, detail: "the value cannot be encoded as JSON")
        }
    }

    /// Percent-encodes a text for a path, a query or a form: everything but ASCII letters, digits, `-`, `_` and `.`.
    static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                result.append(byte)
            default:
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func sendOnce<T>(_ call: Call, _ read: (TransportResponse) -> T?) async throws(AuthError) -> T {
        let response: TransportResponse
        do {
            response = try await transport.send(request(call))
        } catch {
            throw Self.failure(error)
        }
        guard (200..<300).contains(response.status) else { throw Self.refusal(response) }
        guard let value = read(response) else { throw Self.foreign(response) }
        return value
    }

    private func request(_ call: Call) -> TransportRequest {
        var headers = [
            HeaderField("Accept", "application/json"), HeaderField("User-Agent", configuration.userAgent),
        ]
        if let type = call.type { headers.insert(HeaderField("Content-Type", type), at: 0) }
        if let bearer = call.bearer {
            headers.append(HeaderField("Authorization", "Bearer \(bearer)"))
        } else {
            // The key also works as `?key=`, but no part of a request belongs in access logs.
            headers.append(HeaderField("X-Goog-Api-Key", configuration.apiKey))
        }
        if let language = configuration.languageCode {
            headers.append(HeaderField("X-Firebase-Locale", language))
        }
        for field in call.headers {
            headers.removeAll { $0.name == field.name }
            headers.append(field)
        }
        return TransportRequest(
            method: call.method,
            url: configuration.server + call.path,
            headers: headers,
            body: call.body,
            timeout: configuration.requestTimeout + call.extraTime
        )
    }

    /// Returns the error for a missing or incomplete answer.
    private static func failure(_ error: any Error) -> AuthError {
        let reason = (error as? TransportFailure)?.reason ?? "\(error)"
        return AuthError(.networkRequestFailed, detail: reason, isTransient: true)
    }

    /// Returns the error for an answer whose status is not 200 to 299.
    private static func refusal(_ response: TransportResponse) -> AuthError {
        if let envelope = try? JSONDecoder().decode(ErrorEnvelope.self, from: Data(response.body)) {
            var error = AuthError(
                message: envelope.error.message,
                status: envelope.error.status,
                httpStatus: response.status,
                retryAfter: retryAfter(response)
            )
            error.challenge = envelope.error.challenge
            error.mergeReport = envelope.error.mergeReport
            return error
        }
        guard response.status == 429 else { return foreign(response) }
        return AuthError(.tooManyRequests, serverCode: "HTTP_429", retryAfter: retryAfter(response))
    }

    /// Returns the error for an answer that is not from a Latchkey server, but from a proxy or another service on the
    /// port.
    private static func foreign(_ response: TransportResponse) -> AuthError {
        AuthError(
            .networkRequestFailed,
            detail: (502...504).contains(response.status)
                ? "HTTP \(response.status) from a proxy that cannot reach the server; try again in a moment"
                : "HTTP \(response.status), but not the response of a Latchkey server",
            isTransient: true
        )
    }

    /// Parses `Retry-After` in seconds (RFC 9110, 10.2.3), limited to a day; `nil` without one.
    ///
    /// The form with a date and negative numbers count as absent.
    static func retryAfter(_ response: TransportResponse) -> Duration? {
        response.header("Retry-After").flatMap { Int64($0) }.flatMap { seconds in
            seconds >= 0 ? .seconds(min(seconds, 86400)) : nil
        }
    }
}
