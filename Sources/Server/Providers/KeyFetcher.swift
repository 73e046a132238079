internal import JSON
internal import Tokens
internal import Transfer

/// The location at which an issuer publishes its keys.
package enum KeyLocation: Sendable, Equatable {
    /// The keys are at an https URL, as a JSON Web Key Set.
    case keySet(String)
    /// The keys are at a URL that may be http, as a JSON Web Key Set: a stand-in for the issuer, in development only.
    case insecureKeySet(String)
    /// The keys are at the URL that the discovery document of this OpenID Connect issuer names.
    case issuer(String)
}

/// Keys that were just fetched.
struct FetchedKeys: Sendable {
    let keys: VerificationKeys
    /// The life of the keys according to the issuer, in milliseconds; `nil` if it gives none.
    let life: Int64?
}

/// Why keys could not be fetched, as text for the log.
struct KeyFetchError: Error, CustomStringConvertible {
    let description: String
}

/// Fetches an issuer's keys: over https only, and from addresses that its client's gate admits.
///
/// The discovery document is fetched each time, so that an issuer may move its keys.
struct KeyFetcher: Sendable {
    let location: KeyLocation
    let client: HTTPClient

    /// Fetches the issuer's keys.
    ///
    /// - Throws: `TransferError` if a request fails, ``KeyFetchError`` for an answer that cannot be used.
    func fetch() async throws -> FetchedKeys {
        let answer =
            switch location {
            case .keySet(let url): try await get(url)
            case .insecureKeySet(let url): try await get(url, allowsHTTP: true)
            case .issuer(let issuer): try await get(keySetURL(of: issuer))
            }
        guard let keys = VerificationKeys(jwks: answer.body) else {
            throw KeyFetchError(description: "the issuer's response is not a key set")
        }
        return FetchedKeys(keys: keys, life: Self.life(of: answer))
    }

    /// Fetches the issuer's discovery document, and returns the key set's URL in it (OpenID Connect Discovery section
    /// 4).
    private func keySetURL(of issuer: String) async throws -> String {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let answer = try await get("\(base)/.well-known/openid-configuration")
        guard case .object(let metadata)? = try? JSONValue.parse(answer.body) else {
            throw KeyFetchError(description: "the discovery document is not a JSON object")
        }
        // Section 4.3: otherwise one issuer's document could be used for another's.
        guard metadata["issuer"] == .string(issuer) else {
            throw KeyFetchError(description: "the discovery document belongs to another issuer")
        }
        guard let url = metadata["jwks_uri"]?.string else {
            throw KeyFetchError(description: "the discovery document has no jwks_uri")
        }
        return url
    }

    private func get(_ url: String, allowsHTTP: Bool = false) async throws -> HTTPResponse {
        guard allowsHTTP || Origin.parse(url)?.origin.scheme == "https" else {
            throw KeyFetchError(description: "the URL of the keys is not an absolute https URL")
        }
        let answer = try await client.send(HTTPRequest("GET", url, headers: [("Accept", "application/json")]))
        guard answer.status == 200 else {
            throw KeyFetchError(description: "the issuer answered with status \(answer.status)")
        }
        return answer
    }

    /// Returns the life of a response in milliseconds: that in Cache-Control, less the time that the response spent in
    /// caches (RFC 9111 section 4.2); 0 for a response that must not be cached; `nil` if it does not say.
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
