internal import Accounts

/// The parameters of an identity provider's response, as clients pass them on: in the query of `requestUri`, in
/// `postBody`, and after the `#` of `requestUri` (contract, 3.8).
struct ProviderParameters: Sendable {
    /// The three sources in the order of their precedence, the lowest first.
    private let sources: [FormBody]

    /// Reads the parameters from the body of a sign-in call.
    ///
    /// - Throws: ``Refusal`` MISSING_REQUEST_URI or INVALID_REQUEST_URI; ``RequestError``.
    init(_ body: RequestBody) throws {
        // Each value may contain several percent-encoded tokens.
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

    /// The parameter in the source of the highest precedence that has it; `nil` if it is empty there, or missing in
    /// all.
    subscript(_ name: String) -> String? {
        sources.reversed().lazy.compactMap { $0[name] }.first.flatMap { $0.isEmpty ? nil : $0 }
    }
}
