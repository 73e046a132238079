internal import CPostgreSQL

/// Checks the URLs of PostgreSQL servers before any connection attempt.
///
/// libpq's error about an invalid URL quotes parts of it, which may be parts of the password.
package enum PostgreSQLURL {
    /// Returns why libpq could not read a URL, or would misread it (libpq manual, 34.1.1.2).
    ///
    /// - Parameter url: as in ``PostgreSQLConfiguration/url``.
    /// - Returns: a message that quotes nothing; `nil` if the URL is sound.
    package static func flaw(in url: String) -> String? {
        let isSound = hasOnePlaceForCredentials(url) && ports(in: url).map { $0.allSatisfy(isPort) } == true
        return isSound
            ? nil
            : "is not a URL that libpq can read; write postgresql://USER:PASSWORD@HOST:PORT/NAME?PARAMETERS with libpq's "
                + "parameters, and percent-encode what is neither letter nor digit in the password, such as %40 for @, %2F for / and %25 for %"
    }

    /// Whether user and password contain no unescaped `@` or `/`, which would end them early.
    private static func hasOnePlaceForCredentials(_ url: String) -> Bool {
        guard let scheme = url.firstRange(of: "://") else { return false }
        let parts = url[scheme.upperBound...].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = parts.first ?? "", path = parts.dropFirst().first?.prefix { $0 != "?" } ?? ""
        return authority.count { $0 == "@" } <= 1 && !path.contains("@")
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || UInt16(text).map { $0 > 0 } == true
    }

    /// The ports, one for each host; `nil` if libpq cannot read the URL.
    @safe private static func ports(in url: String) -> [Substring]? {
        var message: UnsafeMutablePointer<CChar>?
        let options = unsafe PQconninfoParse(url, &message)
        defer {
            unsafe PQconninfoFree(options)
            unsafe PQfreemem(message)
        }
        guard var option = unsafe options else { return nil }
        var ports = ""
        while let keyword = unsafe option.pointee.keyword {
            if unsafe String(cString: keyword) == "port", let value = unsafe option.pointee.val {
                ports = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return ports.split(separator: ",", omittingEmptySubsequences: false)
    }
}
