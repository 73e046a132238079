internal import Accounts
internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Mail
internal import Network
internal import Transfer

/// What a hook made of a message.
enum HookAnswer: Sendable, Equatable {
    /// 2xx.
    case accepted
    /// 4xx, with the `reason` of its body.
    case declined(status: Int, reason: String?)
    /// Any other status, or none.
    case failed(String)
    /// We stopped waiting ourselves.
    case cancelled
}

/// A connection to one hook, which sends one message at a time, signed as Standard Webhooks has it.
struct HookCall: Sendable {
    let hook: HookConfiguration
    private let client: HTTPClient

    /// - Parameters:
    ///   - hook: where messages go.
    ///   - gate: which addresses it may be at.
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

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - id: the same in every attempt.
    ///   - payload: the body.
    ///   - now: milliseconds since 1970, of this attempt.
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

    /// What a hook gives as its reason, fit for a log and for the client: printable, and short.
    private static func reason(in body: [UInt8]) -> String? {
        guard let text = try? JSONValue.parse(body)["reason"]?.string else { return nil }
        let words = HeaderText(cleaning: text).text.split(separator: " ")
        return words.isEmpty ? nil : String(words.joined(separator: " ").prefix(200))
    }
}

extension HookSecret {
    /// `v1,` and the base64 of HMAC-SHA256 over id, time and body, with dots between.
    func signature(id: String, timestamp: String, body: [UInt8]) throws(CryptoError) -> String {
        let code = try hmacSHA256(key: bytes, [UInt8]("\(id).\(timestamp).".utf8) + body)
        return "v1," + Data(code).base64EncodedString()
    }
}
