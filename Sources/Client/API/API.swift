#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The calls of the wire, without any memory of who is signed in.
struct API: Sendable {
    let configuration: Auth.Configuration
    let transport: any Transport

    /// How often a request that is safe to repeat is sent when its answer is lost.
    private static let attempts = 3

    /// How many challenges are solved for one call: one that was solved may have expired, or the client's address has changed.
    private static let challenges = 3
    private static let solutionHeader = "Challenge-Solution"

    /// One request and what its answer is worth.
    struct Call: Sendable {
        var method = "POST"
        /// For example `/v1/accounts:lookup`, perhaps with a query.
        let path: String
        var body: [UInt8] = []
        /// The type of the body, where there is one.
        var type: String? = "application/json"
        /// The ID token of calls that take one in the header; they need no API key.
        var bearer: String?
        var headers: [HeaderField] = []
        /// Whether the request may be sent again when no answer came.
        var isRepeatable = false
    }

    /// Sends a JSON request to a call that takes an API key.
    ///
    /// - Parameters:
    ///   - path: For example `/v1/accounts:lookup`.
    ///   - body: The request.
    ///   - repeatable: Whether the request may be sent again when no answer came.
    /// - Returns: The decoded answer.
    /// - Throws: What the server answered, or ``AuthError/Code/networkRequestFailed``.
    func call<Response: Decodable>(
        _ path: String,
        _ body: some Encodable,
        repeatable: Bool = false
    ) async throws(AuthError) -> Response {
        try await call(Call(path: path, body: try Self.encoded(body), isRepeatable: repeatable))
    }

    /// Makes a call and decodes its answer.
    func call<Response: Decodable>(_ call: Call) async throws(AuthError) -> Response {
        try await send(call) { try? JSONDecoder().decode(Response.self, from: Data($0.body)) }
    }

    /// Makes a call, again if that is harmless and its answer was lost or garbled.
    ///
    /// - Parameters:
    ///   - call: What to ask.
    ///   - read: Reads an answer of success; `nil` when it is not one of a Latchkey server.
    /// - Returns: What was read.
    /// - Throws: What the server answered, or ``AuthError/Code/networkRequestFailed``.
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

    /// Makes a call that may have to pay with a proof of work: solves what the server asks for, and repeats the call.
    ///
    /// - Throws: As ``send(_:read:)``; ``AuthError/Code/tooManyRequests`` when the server asks again and again, or for more than
    ///   this client computes.
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

    /// Opens a stream; a refusal is thrown.
    func stream(_ call: Call, idleTimeout: Duration) async throws(AuthError) -> TransportStream {
        var request = request(call)
        request.timeout = idleTimeout
        let stream: TransportStream
        do {
            stream = try await transport.stream(request)
        } catch is TransportStreamsUnsupported {
            throw AuthError(.streamingUnsupported, detail: "this transport carries no streams")
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

    /// A value as JSON; equal values give equal bytes.
    static func encoded(_ value: some Encodable) throws(AuthError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(value))
        } catch {
            throw AuthError(.internalError, detail: "the value cannot be encoded as JSON")
        }
    }

    /// A text as it stands in a query or a form: everything but unreserved characters escaped (RFC 3986, 2.3).
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
            // The key also works as `?key=`, but nothing of a request belongs into access logs.
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
            timeout: configuration.requestTimeout
        )
    }

    /// What it means that there was no complete answer.
    private static func failure(_ error: any Error) -> AuthError {
        let reason = (error as? TransportFailure)?.reason ?? "\(error)"
        return AuthError(.networkRequestFailed, detail: reason, isTransient: true)
    }

    /// What an answer other than success means.
    private static func refusal(_ response: TransportResponse) -> AuthError {
        if let envelope = try? JSONDecoder().decode(ErrorEnvelope.self, from: Data(response.body)) {
            var error = AuthError(
                message: envelope.error.message,
                status: envelope.error.status,
                httpStatus: response.status,
                retryAfter: retryAfter(response)
            )
            error.challenge = envelope.error.challenge
            return error
        }
        guard response.status == 429 else { return foreign(response) }
        return AuthError(.tooManyRequests, serverCode: "HTTP_429", retryAfter: retryAfter(response))
    }

    /// An answer that no Latchkey server gives: of a proxy, or of something else on that port.
    private static func foreign(_ response: TransportResponse) -> AuthError {
        AuthError(
            .networkRequestFailed,
            detail: (502...504).contains(response.status)
                ? "HTTP \(response.status) of a proxy that reaches no server just now; try again in a moment"
                : "HTTP \(response.status), but not the answer of a Latchkey server",
            isTransient: true
        )
    }

    /// `Retry-After` in its form with seconds (RFC 9110, 10.2.3), a day at most; the form with a date counts as absent.
    private static func retryAfter(_ response: TransportResponse) -> Duration? {
        response.header("Retry-After").flatMap { Int64($0) }.flatMap { seconds in
            seconds >= 0 ? .seconds(min(seconds, 86400)) : nil
        }
    }
}
