package import Network

/// One request, complete with its body.
///
/// A value that may be kept and sent anywhere.
package struct Request: Sendable {
    package let method: Method
    /// The path as the client wrote it, still percent-encoded, without query.
    package let path: String
    /// What follows the `?`, as the client wrote it; empty without.
    package let query: String
    /// The body; at most as long as the route allows.
    package let body: [UInt8]
    /// The other end of the connection: a proxy's address, where there is one.
    package let remoteAddress: IPAddress
    /// What the route's `{name}` segments matched, percent-decoded.
    package internal(set) var parameters: [String: String]
    var head: RequestHead
    /// Our own proxies, whose word on `clientAddress` is taken.
    let trustedProxies: [AddressRange]
    /// The host in the request line, which goes before the Host field (RFC 9112, section 3.2.2).
    let authority: String?
    /// Which listener it came by.
    package let listener: ListenerName

    /// Makes a request without any socket, as tests do.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: path and query, as in a request line.
    ///   - headers: the header fields in order.
    ///   - body: the body.
    ///   - remoteAddress: the other end of the connection.
    ///   - parameters: what the route's `{name}` segments matched, decoded.
    ///   - trustedProxies: whose `X-Forwarded-For` counts.
    ///   - listener: which listener it came by.
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
            listener: listener
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
        listener: ListenerName
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
    }

    /// The same request at another place, for routes that stand for others.
    ///
    /// - Parameters:
    ///   - method: the other method.
    ///   - path: the other path, percent-encoded.
    ///   - query: the other query.
    ///   - parameters: what the `{name}` segments of the other route match, decoded.
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
            listener: listener
        )
    }

    /// The first header field of that name, whatever its case.
    package func header(_ name: String) -> String? {
        head.first(name)
    }

    /// All header fields of that name in order; a list that was sent in several fields is one list.
    package func headers(_ name: String) -> [String] {
        head.all.filter { RequestHead.areSame($0.name, name) }.map(\.value)
    }

    /// All header fields in order.
    package var headers: [(name: String, value: String)] {
        head.all
    }

    /// The host that the client meant, perhaps with a port.
    ///
    /// What a client says: never for links.
    package var host: String {
        authority ?? header("Host") ?? ""
    }

    /// Whether one of our own proxies sent it, so that what only a proxy can know may be believed.
    package var isFromTrustedProxy: Bool {
        ClientAddress.isTrusted(remoteAddress, trustedProxies)
    }

    /// Who the request comes from, past our own proxies: what limits count by.
    package var clientAddress: IPAddress {
        guard isFromTrustedProxy else { return remoteAddress }
        let forwardedFor = headers("X-Forwarded-For")
        return ClientAddress.resolve(
            socket: remoteAddress,
            forwardedFor: forwardedFor.isEmpty ? nil : forwardedFor.joined(separator: ","),
            trusted: trustedProxies
        )
    }

    /// The first value of a query parameter, decoded as a form; nil when it is missing or broken.
    package func queryValue(_ name: String) -> String? {
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard PercentEncoding.decode(parts[0], plusIsSpace: true) == name else { continue }
            return parts.count == 2 ? PercentEncoding.decode(parts[1], plusIsSpace: true) : ""
        }
        return nil
    }

    /// Whether the query has a part that is no percent-encoded UTF-8, which ``queryValue(_:)`` answers as not given.
    package var hasMalformedQuery: Bool {
        query.utf8.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "=") })
            .contains { PercentEncoding.decode($0, plusIsSpace: true) == nil }
    }

    /// Copies the header fields if anyone but `self` still holds them.
    mutating func detachIfShared() {
        guard !isKnownUniquelyReferenced(&head) else { return }
        head.detach()
    }
}
