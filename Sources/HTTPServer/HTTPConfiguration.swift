package import Network

/// How a server listens and what it bears.
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
    /// What requests say they came by.
    package var name = ListenerName.main
    /// Nil for plain HTTP.
    package var tls: TLS?
    /// Threads that serve connections; nil for one per core.
    package var threads: Int?
    /// Longest body in bytes, where a route says nothing else.
    package var maximumBody = 1 << 20
    /// Longest body in bytes of a request without `Authorization: Bearer`, where a route says nothing else; nil for `maximumBody`.
    package var maximumBodyWithoutBearer: Int?
    /// Longest request line and header fields together in bytes, at most 16 KiB.
    package var maximumHead = 16 << 10
    /// Connections at once; fewer if the system allows fewer open files.
    package var maximumConnections = 20_000
    /// Connections at once from one client address (one /64 for IPv6), trusted proxies excepted; nil for no limit.
    package var maximumConnectionsPerAddress: Int? = 512
    /// How many times that limit the networks around a client have.
    package var networkShares = NetworkShares()
    /// Header fields of every answer that does not set them itself.
    package var defaultHeaders: [(name: String, value: String)] = []
    /// Our own proxies.
    package var trustedProxies: [AddressRange] = []
    /// How long a connection may be silent.
    package var idleTimeout: Duration = .seconds(60)
    /// How long a request may take to arrive, from its first line (or the connection's start) to the end of its body.
    package var requestDeadline: Duration = .seconds(30)
    /// How long a suspended request may wait; then it is answered 503 and its own answer is lost.
    package var handlingDeadline: Duration = .seconds(60)
    /// How long a client may take to receive an answer.
    ///
    /// Streams are bound by `idleTimeout` only.
    package var responseDeadline: Duration = .seconds(120)
    /// Bytes that a stream keeps for a slow client.
    package var streamBuffer = 64 << 10

    package init(listen: ListenAddress) {
        self.listen = listen
    }
}
