package import Network

/// One request, complete with its body, except in checks of the head and in rejections before the body was read.
///
/// A value that may be kept and sent anywhere.
package struct Request: Sendable {
    package let method: Method
    /// The path as the client wrote it, still percent-encoded, without query.
    package let path: String
    /// The part after the `?`, as the client wrote it; empty without one.
    package let query: String
    /// The body; at most as long as the route allows.
    package let body: [UInt8]
    /// The address of the other end of the connection, which may be a proxy; the loopback address for a Unix-domain
    /// socket.
    package let remoteAddress: IPAddress
    /// The percent-decoded values of the route's `{name}` segments, by name; empty until the route's own check of the
    /// head, or its handler, gets the request.
    package internal(set) var parameters: [String: String]
    var head: RequestHead
    /// The proxies that are trusted to report the `clientAddress`.
    let trustedProxies: [AddressRange]
    /// The host in the request line, which takes precedence over the Host field (RFC 9112, section 3.2.2); nil without
    /// one.
    let authority: String?
    /// The listener that received the request.
    package let listener: ListenerName
    /// The number of the user who runs the program at the other end of a Unix-domain socket; nil for other
    /// connections.
    package let peerUser: UInt32?
    /// Whether more requests arrive than the server can answer, and this one has waited in its socket for so long that
    /// the server should refuse it instead of working on it.
    ///
    /// What costs little, such as a health check, is better answered nevertheless.
    package internal(set) var hasWaitedTooLong = false

    /// Creates a request without a socket, as tests do.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: path and query, as in a request line.
    ///   - headers: the header fields in order.
    ///   - body: the body.
    ///   - remoteAddress: the other end of the connection.
    ///   - parameters: the decoded values of the route's `{name}` segments.
    ///   - trustedProxies: the proxies whose `X-Forwarded-For` is trusted.
    ///   - listener: the listener that received it.
    package init(
        method: Method = .get,
        target: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        remoteAddress: IPAddress = .loopback,
        parameters: [String: String] = [:],
        trustedProxies: [AddressRange] = [],
        listener: ListenerName = .main
    ) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            method: method,
            path: parts.first.map(String.init) ?? "",
            query: parts.count == 2 ? String(parts[1]) : "",
            body: body,
            remoteAddress: remoteAddress,
            parameters: parameters,
            head: RequestHead(headers: headers),
            trustedProxies: trustedProxies,
            authority: nil,
            listener: listener,
            peerUser: nil
        )
    }

    init(
        method: Method,
        path: String,
        query: String,
        body: [UInt8],
        remoteAddress: IPAddress,
        parameters: [String: String],
        head: RequestHead,
        trustedProxies: [AddressRange],
        authority: String?,
        listener: ListenerName,
        peerUser: UInt32?
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.remoteAddress = remoteAddress
        self.parameters = parameters
        self.head = head
        self.trustedProxies = trustedProxies
        self.authority = authority
        self.listener = listener
        self.peerUser = peerUser
    }

    /// Returns the same request for another path, for routes that are aliases of others.
    ///
    /// - Parameters:
    ///   - method: the other method.
    ///   - path: the other path, percent-encoded.
    ///   - query: the other query.
    ///   - parameters: the decoded values of the other route's `{name}` segments.
    package func moved(
        _ method: Method,
        to path: String,
        query: String,
        parameters: [String: String] = [:]
    ) -> Request {
        Request(
            method: method,
            path: path,
            query: query,
            body: body,
            remoteAddress: remoteAddress,
            parameters: parameters,
            head: head,
            trustedProxies: trustedProxies,
            authority: authority,
            listener: listener,
            peerUser: peerUser
        )
    }

    /// Returns the same request with another body, and other values of some header fields.
    ///
    /// - Parameters:
    ///   - body: the other body.
    ///   - fields: the other fields, each in place of all fields of its name.
    package func replacing(body: [UInt8], headers fields: [(name: String, value: String)] = []) -> Request {
        let others = headers.filter { header in !fields.contains { RequestHead.areSame($0.name, header.name) } }
        return Request(
            method: method,
            path: path,
            query: query,
            body: body,
            remoteAddress: remoteAddress,
            parameters: parameters,
            head: RequestHead(headers: others + fields),
            trustedProxies: trustedProxies,
            authority: authority,
            listener: listener,
            peerUser: peerUser
        )
    }

    /// Returns the value of the first header field with that name, ignoring case; nil without one.
    package func header(_ name: String) -> String? {
        head.first(name)
    }

    /// Returns the values of all header fields with that name in order, ignoring case.
    ///
    /// A client may split a list over several fields (RFC 9110, section 5.3).
    package func headers(_ name: String) -> [String] {
        // Reading one field costs less than reading all of them.
        guard head.first(name) != nil else { return [] }
        return head.all.filter { RequestHead.areSame($0.name, name) }.map(\.value)
    }

    /// All header fields in order.
    package var headers: [(name: String, value: String)] {
        head.all
    }

    /// The host that the client requested, optionally with a port; empty if the request names none.
    ///
    /// The client controls it, so never use it for links.
    package var host: String {
        authority ?? header("Host") ?? ""
    }

    /// Whether a trusted proxy sent the request, so that information from the proxy can be trusted.
    package var isFromTrustedProxy: Bool {
        ClientAddress.isTrusted(remoteAddress, trustedProxies)
    }

    /// The client's address, behind trusted proxies.
    ///
    /// Rate limits count the client's requests by this address.
    package var clientAddress: IPAddress {
        guard isFromTrustedProxy else { return remoteAddress }
        let forwardedFor = headers("X-Forwarded-For")
        return ClientAddress.resolve(
            socket: remoteAddress,
            forwardedFor: forwardedFor.isEmpty ? nil : forwardedFor.joined(separator: ","),
            trusted: trustedProxies
        )
    }

    /// Returns the first value of a query parameter, decoded as a form.
    ///
    /// The result is nil if the parameter is missing or its value is not percent-encoded UTF-8, and empty if it has no
    /// `=`.
    package func queryValue(_ name: String) -> String? {
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard PercentEncoding.decode(parts[0], plusIsSpace: true) == name else { continue }
            return parts.count == 2 ? PercentEncoding.decode(parts[1], plusIsSpace: true) : ""
        }
        return nil
    }

    /// Whether the query has a part that is not percent-encoded UTF-8.
    ///
    /// ``queryValue(_:)`` treats such a part as missing.
    package var hasMalformedQuery: Bool {
        query.utf8.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "=") })
            .contains { PercentEncoding.decode($0, plusIsSpace: true) == nil }
    }

    /// Copies the header fields from libmicrohttpd's memory if another copy of this request exists.
    mutating func detachIfShared() {
        guard !isKnownUniquelyReferenced(&head) else { return }
        head.detach()
    }
}
