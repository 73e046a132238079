package import Network

/// The address and limits of a server.
package struct HTTPConfiguration: Sendable {
    /// Certificate chain and private key as PEM files.
    package struct TLS: Sendable {
        package var certificateFile: String
        package var keyFile: String

        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    package var listen: ListenAddress
    /// The name of this listener, which its requests report as `Request.listener`.
    package var name = ListenerName.main
    /// Certificate and key for HTTPS; nil for plain HTTP.
    package var tls: TLS?
    /// The number of serving threads; nil for one per core.
    package var threads: Int?
    /// The maximum body in bytes, unless a route sets another.
    package var maximumBody = 1 << 20
    /// The maximum body in bytes without `Authorization: Bearer`, unless a route sets another; nil for `maximumBody`.
    package var maximumBodyWithoutBearer: Int?
    /// The maximum length of request line and header fields together in bytes, at most 16 KiB.
    package var maximumHead = 16 << 10
    /// The maximum number of connections; fewer if the system allows fewer open files.
    package var maximumConnections = 20_000
    /// The maximum number of connections from one client address (one /64 for IPv6), except trusted proxies; nil for no
    /// limit.
    package var maximumConnectionsPerAddress: Int? = 512
    /// The connection limits of networks around a client, as multiples of ``maximumConnectionsPerAddress``.
    package var networkShares = NetworkShares()
    /// Header fields of every response that does not set them itself.
    package var defaultHeaders: [(name: String, value: String)] = []
    /// The addresses of the proxies whose `X-Forwarded-For` is trusted.
    package var trustedProxies: [AddressRange] = []
    /// The maximum time without data on a connection, except while a request is suspended or a stream has nothing to
    /// send.
    package var idleTimeout: Duration = .seconds(60)
    /// The maximum time for a request to arrive, from its first line (or the connection's start) to the end of its
    /// body.
    package var requestDeadline: Duration = .seconds(30)
    /// The maximum time of each suspension of a request.
    ///
    /// After that time the server responds with 503, and ignores the handler's own response.
    package var handlingDeadline: Duration = .seconds(60)
    /// The maximum time for a client to receive a response.
    ///
    /// Streams are limited by `idleTimeout` only.
    package var responseDeadline: Duration = .seconds(120)
    /// The maximum number of bytes that wait in each stream for a slow client.
    ///
    /// A write that does not fit is refused, but an empty buffer accepts any amount.
    package var streamBuffer = 64 << 10
    /// When requests count as waiting for too long (``Request/hasWaitedTooLong``).
    var lag = ArrivalLag.Bounds()

    package init(listen: ListenAddress) {
        self.listen = listen
    }
}
