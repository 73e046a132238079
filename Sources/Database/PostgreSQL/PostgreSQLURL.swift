internal import CPostgreSQL

/// Looks at URLs before anything connects by them: what libpq says of a wrong one quotes parts of it, and those may be parts of
/// the password.
package enum PostgreSQLURL {
    /// Why libpq could not read a URL, or would read it otherwise than it was meant (libpq's manual, 34.1.1.2).
    ///
    /// - Parameter url: as in ``PostgreSQLConfiguration/url``.
    /// - Returns: words that quote nothing; `nil` where the URL is sound.
    package static func flaw(in url: String) -> String? {
        let isSound = hasOnePlaceForCredentials(url) && ports(in: url).map { $0.allSatisfy(isPort) } == true
        return isSound
            ? nil
            : "is no URL that libpq reads; it is postgresql://USER:PASSWORD@HOST:PORT/NAME?PARAMETERS with parameters of "
                + "libpq's, where other signs than letters and digits in the password are percent-encoded, such as %40 for @, %2F for / and %25 for %"
    }

    /// Whether no sign of user or password is taken for the end of both, which would make host, port or name of the rest.
    private static func hasOnePlaceForCredentials(_ url: String) -> Bool {
        guard let scheme = url.firstRange(of: "://") else { return false }
        let parts = url[scheme.upperBound...].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = parts.first ?? "", path = parts.dropFirst().first?.prefix { $0 != "?" } ?? ""
        return authority.count { $0 == "@" } <= 1 && !path.contains("@")
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || UInt16(text).map { $0 > 0 } == true
    }

    /// The ports, one for each host; `nil` where libpq cannot read the URL.
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
