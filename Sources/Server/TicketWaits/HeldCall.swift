internal import HTTPServer
internal import Network

/// The wish of a call to wait until its ticket changes.
struct TicketWait: Sendable {
    /// The id of the ticket.
    let ticket: String
    /// The UID of the user whose session requested the ticket; `nil` without one.
    let askingUID: String?
    /// When the call must be answered, whatever the state of the ticket.
    let deadline: ContinuousClock.Instant
}

/// A call that waits until its ticket changes, while its connection is suspended.
struct HeldCall: Sendable {
    let wait: TicketWait
    /// The address of the client, behind the operator's proxies.
    let client: IPAddress
    let resumption: Resumption
    /// Called once, when the wait ends.
    let end: @Sendable (WaitEnd) -> Void
    /// The call's share of the quotas, owned for as long as the call is held; `nil` before.
    var place: Place?
}

/// The reason why a wait for a ticket ended.
enum WaitEnd: Sendable {
    /// The ticket may have changed, so the call's transaction must run again.
    case changed
    /// The time is over.
    case over
    /// A newer call waits for the same ticket.
    case replaced
    /// The quotas allow no more held calls.
    case noRoom(any Error)
    /// The client has closed the connection, so nothing may be redeemed for it.
    case abandoned
    case serverStopping

    /// After how many seconds a client may ask again; `nil` if at once.
    var retryAfter: Int? {
        switch self {
        case .changed, .over, .abandoned: nil
        case .serverStopping: 1
        // Two clients with one ticket take turns, as if they polled.
        case .replaced: 2
        // A person is waiting, so the pause is shorter than that of streams.
        case .noRoom: 5
        }
    }
}
