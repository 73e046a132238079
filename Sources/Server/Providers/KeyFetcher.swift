internal import JSON
internal import Tokens
internal import Transfer

/// Where an issuer publishes its keys.
package enum KeyLocation: Sendable, Equatable {
    /// At an https URL, as a JSON Web Key Set.
    case keySet(String)
    /// At the URL that the discovery document of this OpenID Connect issuer names.
    case issuer(String)
}

/// Keys that an issuer has just answered.
struct FetchedKeys: Sendable {
    let keys: VerificationKeys
    /// For how long the issuer says that they hold, in milliseconds; `nil` where it says nothing.
    let life: Int64?
}

/// Why there are no keys to be had; its words go into the log.
struct KeyFetchError: Error, CustomStringConvertible {
    let description: String
}

/// Gets an issuer's keys: over https only, from addresses that the gate of its client lets through.
///
/// The discovery document is asked anew each time, so that an issuer may move its keys.
struct KeyFetcher: Sendable {
    let location: KeyLocation
    let client: HTTPClient

    /// Asks the issuer.
    ///
    /// - Throws: `TransferError`, ``KeyFetchError``.
    func fetch() async throws -> FetchedKeys {
        let answer =
            switch location {
            case .keySet(let url): try await get(url)
            case .issuer(let issuer): try await get(keySetURL(of: issuer))
            }
        guard let keys = VerificationKeys(jwks: answer.body) else {
            throw KeyFetchError(description: "what the issuer answers is no key set")
        }
        return FetchedKeys(keys: keys, life: Self.life(of: answer))
    }

    /// The key set's URL, as the issuer's metadata names it (OpenID Connect Discovery section 4).
    private func keySetURL(of issuer: String) async throws -> String {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let answer = try await get("\(base)/.well-known/openid-configuration")
        guard case .object(let metadata)? = try? JSONValue.parse(answer.body) else {
            throw KeyFetchError(description: "the discovery document is no JSON object")
        }
        // Section 4.3: otherwise one issuer's document could pass for another's.
        guard metadata["issuer"] == .string(issuer) else {
            throw KeyFetchError(description: "the discovery document is another issuer's")
        }
        guard let url = metadata["jwks_uri"]?.string else {
            throw KeyFetchError(description: "the discovery document has no jwks_uri")
        }
        return url
    }

    private func get(_ url: String) async throws -> HTTPResponse {
        guard Origin.parse(url)?.origin.scheme == "https" else {
            throw KeyFetchError(description: "the URL of the keys is not an absolute https URL")
        }
        let answer = try await client.send(HTTPRequest("GET", url, headers: [("Accept", "application/json")]))
        guard answer.status == 200 else { throw KeyFetchError(description: "the issuer answers \(answer.status)") }
        return answer
    }

    /// The life that Cache-Control gives an answer, less the time that it has spent in caches (RFC 9111 section 4.2).
    static func life(of answer: HTTPResponse) -> Int64? {
        guard let field = answer.header("Cache-Control") else { return nil }
        let directives = field.lowercased().split { $0 == "," || $0 == " " }
        if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
        guard let directive = directives.first(where: { $0.hasPrefix("max-age=") }),
            let seconds = Int32(directive.dropFirst("max-age=".count))
        else { return nil }
        let age = answer.header("Age").flatMap { Int32($0) } ?? 0
        return max(0, Int64(seconds) - max(0, Int64(age))) * 1000
    }
}
