package import JSON

/// Unsecured tokens (RFC 7519 section 6): `alg` is `none`, and the third part is empty.
///
/// - Warning: Anyone can make such a token. Only for development, where every client is an administrator anyway.
extension JWT {
    /// `{"alg":"none","typ":"JWT"}`, as the Firebase emulator writes it.
    private static let unsecuredHeader = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))

    /// Makes a token without a signature.
    ///
    /// - Parameter claims: one JSON object, as UTF-8.
    /// - Returns: the token in compact form, which ends with a dot.
    package static func makeUnsecured(_ claims: [UInt8]) -> String {
        "\(unsecuredHeader).\(Base64URL.encode(claims))."
    }

    /// Returns the claims of a token without a signature.
    ///
    /// - Parameter text: any text.
    /// - Returns: nil for every other text, also for a token with `alg` `none` and a third part.
    package static func unsecuredClaims(of text: String) -> JSONObject? {
        guard text.utf8.last == dot, text.utf8.count <= maximumLength else { return nil }
        let segments = Array(text.utf8).split(separator: dot, omittingEmptySubsequences: false)
        guard segments.count == 3, let header = Base64URL.decode(segments[0]).flatMap(object),
            header["alg"] == .string("none"), header["crit"] == nil,
            header["typ"].map({ $0 == .string("JWT") }) ?? true
        else { return nil }
        return Base64URL.decode(segments[1]).flatMap(object)
    }
}
