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

    /// Sends a JSON request.
    ///
    /// - Parameters:
    ///   - path: For example `/v1/accounts:lookup`.
    ///   - body: The request.
    ///   - repeatable: Whether the request may be sent again when no answer came.
    /// - Returns: The decoded answer.
    /// - Throws: What the server answered, or ``AuthError/Code/networkRequestFailed``.
    func call<Body: Encodable, Response: Decodable>(
        _ path: String,
        _ body: Body,
        repeatable: Bool = false
    ) async throws(AuthError) -> Response {
        let bytes: Data
        do {
            bytes = try JSONEncoder().encode(body)
        } catch {
            throw AuthError(.internalError, detail: "the request cannot be encoded")
        }
        return try await call(path, [UInt8](bytes), type: "application/json", repeatable: repeatable)
    }

    /// Sends a body of any type.
    func call<Response: Decodable>(
        _ path: String,
        _ body: [UInt8],
        type: String,
        repeatable: Bool
    ) async throws(AuthError) -> Response {
        var pause = Duration.milliseconds(200)
        for _ in 1..<(repeatable ? Self.attempts : 1) {
            do {
                return try await callOnce(path, body, type: type)
            } catch {
                guard error.isTransient else { throw error }
            }
            try? await Task.sleep(for: pause)
            pause *= 3
        }
        return try await callOnce(path, body, type: type)
    }

    private func callOnce<Response: Decodable>(
        _ path: String,
        _ body: [UInt8],
        type: String
    ) async throws(AuthError) -> Response {
        let response: TransportResponse
        do {
            response = try await transport.send(request(path, body, type: type))
        } catch let error as TransportFailure {
            throw AuthError(.networkRequestFailed, detail: error.reason, isTransient: true)
        } catch {
            throw AuthError(.networkRequestFailed, detail: "\(error)", isTransient: true)
        }
        return try Self.decode(response)
    }

    private func request(_ path: String, _ body: [UInt8], type: String) -> TransportRequest {
        var headers = [
            HeaderField("Content-Type", type),
            HeaderField("Accept", "application/json"),
            HeaderField("User-Agent", configuration.userAgent),
            // The key also works as `?key=`, but nothing of a request belongs into access logs.
            HeaderField("X-Goog-Api-Key", configuration.apiKey),
        ]
        if let language = configuration.languageCode {
            headers.append(HeaderField("X-Firebase-Locale", language))
        }
        return TransportRequest(
            method: "POST",
            url: configuration.server + path,
            headers: headers,
            body: body,
            timeout: configuration.requestTimeout
        )
    }

    private static func decode<Response: Decodable>(_ response: TransportResponse) throws(AuthError) -> Response {
        let body = Data(response.body)
        if (200..<300).contains(response.status) {
            if let value = try? JSONDecoder().decode(Response.self, from: body) { return value }
        } else if let envelope = try? JSONDecoder().decode(ErrorEnvelope.self, from: body) {
            throw AuthError(
                message: envelope.error.message,
                status: envelope.error.status,
                httpStatus: response.status,
                retryAfter: retryAfter(response)
            )
        } else if response.status == 429 {
            throw AuthError(.tooManyRequests, serverCode: "HTTP_429", retryAfter: retryAfter(response))
        }
        throw AuthError(
            .networkRequestFailed,
            detail: "HTTP \(response.status), but not the answer of a Latchkey server",
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
