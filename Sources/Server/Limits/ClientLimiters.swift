internal import Network

/// The limits on what each client and its network may do in an hour, each counted by this node alone.
///
/// The limits are those of ``Configuration/ClientLimits``, without those on connections and streams. Trusted proxies
/// have none of them.
struct ClientLimiters: Sendable {
    /// Limits how many guests a client creates.
    let guests: ClientLimiter
    /// Limits how many e-mails with links a client requests.
    let links: ClientLimiter
    /// Limits how many credentials with a bad signature a client presents.
    let failures: ClientLimiter
    /// Limits how many wrong bearers a client presents, separately from other failures of clients, which may share a back end's address.
    let bearers: ClientLimiter
    /// Limits how many claims and look-ups of usernames, and look-ups of sign-in methods by e-mail address, a client
    /// makes.
    let usernames: ClientLimiter
    /// Limits how many dry runs of merges a client requests, which cost as much as a merge and can be repeated with the
    /// same guest.
    let dryRuns: ClientLimiter
    /// Limits the bytes of documents that the guests of a network write.
    let guestVolume: NetworkVolume

    init(_ configuration: Configuration, _ admission: NetworkAdmission) {
        let limits = configuration.clientLimits
        let proxies = configuration.trustedRanges
        func limiter(_ name: String, _ limit: Int) -> ClientLimiter {
            ClientLimiter(
                "limits.\(name)",
                limit: limit,
                shares: limits.networks,
                exempt: proxies,
                admission: admission
            )
        }
        guests = limiter("guestsPerClient", limits.guests)
        links = limiter("linksPerClient", limits.links)
        failures = limiter("failuresPerClient", limits.failures)
        bearers = limiter("failuresPerClient", limits.failures)
        usernames = limiter("usernamesPerClient", limits.usernames)
        dryRuns = limiter("guestsPerClient", limits.guests)
        guestVolume = NetworkVolume(limit: limits.guestBytesPerNetwork, exempt: proxies, admission: admission)
    }

    /// Uses other limits from now on; what was counted stays.
    func use(_ limits: Configuration.ClientLimits) {
        guests.use(limit: limits.guests)
        links.use(limit: limits.links)
        failures.use(limit: limits.failures)
        bearers.use(limit: limits.failures)
        usernames.use(limit: limits.usernames)
        dryRuns.use(limit: limits.guests)
        guestVolume.use(limit: limits.guestBytesPerNetwork)
    }

    /// Sets the counters of clients and networks in a range, and of networks around it, to zero.
    func forget(_ range: AddressRange) {
        for limiter in [guests, links, failures, bearers, usernames, dryRuns] { limiter.forget(range) }
        guestVolume.forget(range)
    }

    /// Resets all counters.
    func reset() {
        for limiter in [guests, links, failures, bearers, usernames, dryRuns] { limiter.reset() }
        guestVolume.reset()
    }
}
