internal import Accounts
internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Network
internal import Transfer

/// The answer of a hook to a message.
enum HookAnswer: Sendable, Equatable {
    /// The hook answered 2xx.
    case accepted
    /// The hook answered 4xx, with the `reason` in its body, if there is one.
    case declined(status: Int, reason: String?)
    /// The hook answered with any other status, the message could not be sent, or no complete answer arrived; with the
    /// reason.
    case failed(String)
    /// The server stopped waiting for the answer, or did not send the message because another worker may have leased
    /// it.
    case cancelled
}

/// A connection to one hook, which sends one message at a time, signed according to Standard Webhooks.
struct HookCall: Sendable {
    let hook: HookConfiguration
    private let client: HTTPClient

    /// Makes a client for one hook; connects only to send a message.
    ///
    /// - Parameters:
    ///   - hook: the hook to send to.
    ///   - gate: the addresses that the hook's host may have.
    ///   - timeout: the longest time for one message, in milliseconds.
    init(_ hook: HookConfiguration, gate: AddressGate, timeout: Int) {
        self.hook = hook
        var limits = HTTPClient.Limits()
        limits.connectTimeout = timeout
        limits.totalTimeout = timeout
        limits.maximumBody = 64 << 10
        limits.gate = gate
        client = HTTPClient(limits: limits)
    }

    /// Sends a message once, and waits for the answer.
    ///
    /// - Parameters:
    ///   - id: the message's ID, the same in every attempt.
    ///   - payload: the body.
    ///   - now: the time of this attempt, in milliseconds since 1970.
    func send(_ id: String, _ payload: String, at now: Int64) async -> HookAnswer {
        let body = [UInt8](payload.utf8)
        let response: HTTPResponse
        do {
            let timestamp = String(now / 1000)
            let signatures = try hook.secrets.map { try $0.signature(id: id, timestamp: timestamp, body: body) }
            let request = HTTPRequest(
                "POST",
                hook.url,
                headers: [
                    ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", timestamp),
                    ("webhook-signature", signatures.joined(separator: " ")),
                ],
                body: body
            )
            response = try await client.send(request)
        } catch let error as TransferError {
            return error.kind == .cancelled ? .cancelled : .failed(error.description)
        } catch {
            return .failed("\(error)")
        }
        switch response.status {
        case 200..<300: return .accepted
        case 400..<500: return .declined(status: response.status, reason: Self.reason(in: response.body))
        default: return .failed("status \(response.status)")
        }
    }

    /// Returns the reason in a hook's response, made printable and at most 200 characters long; `nil` without one.
    private static func reason(in body: [UInt8]) -> String? {
        guard let text = try? JSONValue.parse(body)["reason"]?.string else { return nil }
        let words = SingleLine.of(text).split(separator: " ")
        return words.isEmpty ? nil : String(words.joined(separator: " ").prefix(200))
    }
}

extension HookSecret {
    /// Returns the signature of a message: `v1,` and the base64 of HMAC-SHA256 over ID, time and body, with dots
    /// between.
    ///
    /// - Parameters:
    ///   - id: the message's ID.
    ///   - timestamp: the time of the attempt in seconds since 1970, as text.
    ///   - body: the message's body.
    func signature(id: String, timestamp: String, body: [UInt8]) throws(CryptoError) -> String {
        let code = try hmacSHA256(key: bytes, [UInt8]("\(id).\(timestamp).".utf8) + body)
        return "v1," + Data(code).base64EncodedString()
    }
}
