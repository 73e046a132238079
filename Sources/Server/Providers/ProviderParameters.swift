internal import Accounts

/// The parameters of an identity provider's answer, as clients hand them on: in the query of `requestUri`, in `postBody`, and
/// behind the `#` of `requestUri` (contract, 3.8).
struct ProviderParameters: Sendable {
    /// Of a name that is in several of them, the last counts.
    private let sources: [FormBody]

    /// Takes them from a sign-in call.
    ///
    /// - Throws: ``Refusal`` MISSING_REQUEST_URI or INVALID_REQUEST_URI; ``RequestError``.
    init(_ body: RequestBody) throws {
        // Each may hold several tokens, percent-encoded.
        guard let uri = try body.nonEmptyString("requestUri", limit: 131_072) else { throw Refusal(.missingRequestURI) }
        guard uri.isAbsoluteURL else { throw Refusal(.invalidRequestURI) }
        let parts = uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
        let fragment = parts.dropFirst().first
        sources = [
            FormBody([UInt8]((query ?? "").utf8)),
            FormBody([UInt8]((try body.string("postBody", limit: 131_072) ?? "").utf8)),
            FormBody([UInt8]((fragment ?? "").utf8)),
        ]
    }

    /// A parameter that has something in it.
    subscript(_ name: String) -> String? {
        sources.reversed().lazy.compactMap { $0[name] }.first.flatMap { $0.isEmpty ? nil : $0 }
    }
}
