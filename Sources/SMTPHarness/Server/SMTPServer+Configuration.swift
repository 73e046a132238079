extension SMTPServer {
    /// How connections are encrypted.
    package enum Security: Sendable, Equatable {
        /// Not at all.
        case none
        /// In the clear until the client says STARTTLS (RFC 3207).
        case startTLS
        /// From the first byte (RFC 8314 §3.3: smtps).
        case implicit
    }

    /// Where to listen, what to offer, what to keep.
    package struct Configuration: Sendable, Equatable {
        /// An IPv4 or IPv6 address in digits.
        package var address = "127.0.0.1"
        /// The port; 0 for any free one.
        package var port: UInt16 = 0
        /// Whether another free port is taken when this one is not to be had.
        package var fallsBackToFreePort = false
        /// How connections are encrypted.
        package var security = Security.none
        /// The names in the self-made certificate. Clients that check names refuse others.
        package var certificateNames = ["localhost", "127.0.0.1", "::1"]
        /// What sessions offer and demand. `offersStartTLS` follows `security`.
        package var policy = SMTPPolicy()
        /// Connections at once; more are answered with 421.
        package var maximumConnections = 256
        /// How long a connection may be silent (RFC 5321 §4.5.3.2.7: five minutes).
        package var idleTimeout: Duration = .seconds(300)
        /// Messages kept.
        package var maximumMessages = 1000
        /// Octets of messages kept; the newest message is kept in any case.
        package var maximumKeptOctets = 64 << 20

        /// The defaults: 127.0.0.1, a free port, no TLS, no AUTH.
        package init() {}

        /// A development mailbox: takes the port of its choice, or another one when that is taken.
        ///
        /// - Parameters:
        ///   - address: An IPv4 or IPv6 address in digits.
        ///   - port: The port to try first.
        package static func mailbox(address: String = "127.0.0.1", port: UInt16 = 1025) -> Configuration {
            var configuration = Configuration()
            configuration.address = address
            configuration.port = port
            configuration.fallsBackToFreePort = true
            return configuration
        }
    }

    /// Counts since the start.
    package struct Statistics: Sendable, Equatable {
        /// Connections accepted and served.
        package var connections = 0
        /// Connections open now.
        package var openConnections = 0
        /// Connections turned away because there were too many.
        package var turnedAway = 0
        /// Messages taken, kept or dropped since.
        package var messages = 0
    }
}
