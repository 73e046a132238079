internal import HTTPServer

/// Nothing final is known about a token of Firebase: the client gets text with status 503, which makes no SDK forget its
/// user.
struct FirebaseUndecided: Error {
    /// The reasons, by which they are counted.
    enum Reason: String, CaseIterable {
        /// Firebase cannot be reached, is too slow, or answers with an error of its own or a page.
        case unavailable
        /// Firebase is out of quota.
        case quota
        /// Firebase refuses the API key, or answers what is not understood.
        case refused
        /// Too many questions of this network, or of all.
        case busy
        /// The breaker is open.
        case paused
        /// The keys of Firebase's tokens cannot be fetched.
        case keys
        /// The setting `firebase.exchangeUntil` has passed.
        case over
        /// This server's own trouble, or a change of the phase.
        case own
    }

    let reason: Reason

    init(_ reason: Reason) { self.reason = reason }

    /// The response.
    var response: Response {
        .undecided(status: 503, "The server cannot decide this now.", retryAfter: reason == .over ? 3600 : 5)
    }
}
