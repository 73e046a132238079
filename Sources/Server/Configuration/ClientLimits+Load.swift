internal import Network

extension Configuration.ClientLimits {
    /// Reads the settings below `limits` that are counted by client or network, `limits.guestsPerMinute` and
    /// `challenge`.
    init(_ settings: inout Settings, isDevelopment: Bool) {
        self.init(
            guests: settings.integer(
                "limits.guestsPerClient",
                in: 1...10_000_000,
                default: isDevelopment ? 10_000_000 : 200
            ),
            guestsPerMinute: settings.integer(
                "limits.guestsPerMinute",
                in: 1...10_000_000,
                default: isDevelopment ? 10_000_000 : 600
            ),
            challenge: settings.choice("challenge", default: isDevelopment ? .off : .load),
            links: settings.integer(
                "limits.linksPerClient",
                in: 1...10_000_000,
                default: isDevelopment ? 1_000_000 : 60
            ),
            failures: settings.integer(
                "limits.failuresPerClient",
                in: 1...10_000_000,
                default: isDevelopment ? 1_000_000 : 60
            ),
            usernames: settings.integer(
                "limits.usernamesPerClient",
                in: 1...10_000_000,
                default: isDevelopment ? 1_000_000 : 600
            ),
            connections: settings.integer(
                "limits.connectionsPerClient",
                in: 1...1_000_000,
                default: isDevelopment ? 10_000 : 200
            ),
            streams: settings.integer(
                "limits.streamsPerClient",
                in: 1...1_000_000,
                default: isDevelopment ? 1_000_000 : 100
            ),
            guestBytesPerNetwork: settings.integer(
                "limits.guestBytesPerNetwork",
                in: 1...(1 << 40),
                default: isDevelopment ? 1 << 40 : 64 << 20
            ),
            networks: NetworkShares(&settings)
        )
    }
}

extension NetworkShares {
    fileprivate init(_ settings: inout Settings) {
        self.init()
        let factors = 1...65_536
        ipv6Prefix56 = settings.integer("limits.networks.ipv6Prefix56", in: factors, default: ipv6Prefix56)
        ipv6Prefix48 = settings.integer("limits.networks.ipv6Prefix48", in: factors, default: ipv6Prefix48)
        ipv4Prefix24 = settings.integer("limits.networks.ipv4Prefix24", in: factors, default: ipv4Prefix24)
    }
}
