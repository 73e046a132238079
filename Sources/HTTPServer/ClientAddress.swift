package import Network

/// Determines the client's address behind proxies.
package enum ClientAddress {
    /// Returns the nearest address that is not a trusted proxy.
    ///
    /// `X-Forwarded-For` is trusted only if the socket belongs to a trusted proxy. It is read from the right, because
    /// each proxy appends the address that it saw. Everything left of the first untrusted address is only that client's
    /// claim. An invalid entry ends the search at the proxy that reported it.
    ///
    /// - Parameters:
    ///   - socket: the address at the other end of the connection.
    ///   - forwardedFor: all `X-Forwarded-For` values in order, joined by commas; nil without any.
    ///   - trusted: the trusted proxies.
    /// - Returns: that address; the proxy that reported an invalid entry; the first entry if all addresses are trusted
    ///   proxies.
    package static func resolve(socket: IPAddress, forwardedFor: String?, trusted: [AddressRange]) -> IPAddress {
        guard let forwardedFor, isTrusted(socket, trusted) else { return socket }
        var nearest = socket
        for entry in forwardedFor.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).reversed()
        {
            guard let address = parse(String(Substring(entry))) else { return nearest }
            nearest = address
            guard isTrusted(address, trusted) else { return address }
        }
        return nearest
    }

    static func isTrusted(_ address: IPAddress, _ trusted: [AddressRange]) -> Bool {
        trusted.contains { $0.contains(address) }
    }

    /// Parses `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` and `[2001:db8::1]:4711`, as proxies write them; nil for
    /// other texts.
    private static func parse(_ entry: String) -> IPAddress? {
        var text = entry[...]
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        if let address = IPAddress(String(text)) { return address }
        if text.first == "[", let end = text.firstIndex(of: "]") {
            return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        return IPAddress(String(text[..<colon]))
    }
}
