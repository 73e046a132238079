extension SMTPServer {
    /// How connections are encrypted.
    package enum Security: Sendable, Equatable {
        /// Connections are never encrypted.
        case none
        /// Connections are unencrypted until the client sends STARTTLS (RFC 3207).
        case startTLS
        /// Connections are encrypted from the first byte (RFC 8314 §3.3: smtps).
        case implicit
    }

    /// The address to listen on, the offered extensions, and the limits of a server.
    package struct Configuration: Sendable, Equatable {
        /// An IPv4 or IPv6 address in digits.
        package var address = "127.0.0.1"
        /// The port; 0 for any free one.
        package var port: UInt16 = 0
        /// Whether the server takes another free port when `port` is not available.
        package var fallsBackToFreePort = false
        /// How connections are encrypted.
        package var security = Security.none
        /// The names and addresses in the self-signed certificate that the server makes for itself.
        ///
        /// Clients that check names refuse to connect under any other.
        package var certificateNames = ["localhost", "127.0.0.1", "::1"]
        /// The policy of all sessions.
        ///
        /// The server sets its `offersStartTLS` from `security`.
        package var policy = SMTPPolicy()
        /// The maximum number of open connections; further ones get the reply 421, or with implicit TLS are closed.
        package var maximumConnections = 256
        /// How long a connection may be silent (RFC 5321 §4.5.3.2.7: five minutes).
        package var idleTimeout: Duration = .seconds(300)
        /// The maximum number of kept messages; the oldest are dropped.
        package var maximumMessages = 1000
        /// The maximum number of octets of kept messages; the newest message is kept in any case.
        package var maximumKeptOctets = 64 << 20

        /// Creates the default configuration: 127.0.0.1, a free port, no TLS, no AUTH.
        package init() {}

        /// Returns the configuration of a development mailbox, which takes another port when the given one is not
        /// available.
        ///
        /// - Parameters:
        ///   - address: an IPv4 or IPv6 address in digits.
        ///   - port: the port to try first.
        /// - Returns: the configuration.
        package static func mailbox(address: String = "127.0.0.1", port: UInt16 = 1025) -> Configuration {
            var configuration = Configuration()
            configuration.address = address
            configuration.port = port
            configuration.fallsBackToFreePort = true
            return configuration
        }
    }

    /// Numbers of connections and messages since the start.
    package struct Statistics: Sendable, Equatable {
        /// The number of connections accepted and served, open or ended.
        package var connections = 0
        /// The number of connections open now.
        package var openConnections = 0
        /// The number of connections rejected because too many were open.
        package var turnedAway = 0
        /// The number of messages accepted, whether they are still kept or not.
        package var messages = 0
    }
}
