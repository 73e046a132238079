internal import Accounts
internal import HTTPServer

/// An endpoint whose call may wait, after its transaction, until a ticket changes.
///
/// The wait begins after a committed transaction and its ``ChangingEndpoint/committed(_:of:)``. When the ticket may have
/// changed, the same input is given to the transaction again, and its outcome is the answer or begins another wait.
protocol WaitingEndpoint: WritingEndpoint {
    /// The wait that an outcome begins; `nil` if the outcome is the call's answer.
    func wait(after outcome: Outcome) -> TicketWait?
    /// Makes the response of a call whose wait ended before its ticket changed.
    ///
    /// - Parameter retryAfter: after how many seconds the client may ask again; `nil` if at once.
    func renderPending(retryAfter: Int?) -> Response
}

extension Services {
    /// Returns the handler of an endpoint whose call may wait.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isGuarded: whether credentials with a bad signature count against the client's address, as guesses
    ///     (``judging(_:guarded:_:)``).
    func handler<Waiting: WaitingEndpoint>(_ endpoint: Waiting, guarding isGuarded: Bool = false) -> Handler {
        { request in
            try Waiting.Call.prepare(request, by: self, guarded: isGuarded) { call in
                let input = try self.judging(request, guarded: isGuarded) { try endpoint.decode(call) }
                return self.waiting(endpoint, input, CallContext(client: request.clientAddress))
            }
        }
    }

    /// Runs the transaction of a decoded call, and then responds or waits.
    private func waiting<Waiting: WaitingEndpoint>(
        _ endpoint: Waiting,
        _ input: Waiting.Input,
        _ call: CallContext
    ) -> Handling {
        handling(endpoint, input, call) { outcome in
            guard let wait = endpoint.wait(after: outcome) else { return nil }
            // A suspension of its own, with a deadline of its own.
            return .suspended { resumption in
                let held = HeldCall(wait: wait, client: call.client, resumption: resumption) { end in
                    if case .changed = end {
                        return resumption.proceed { self.waiting(endpoint, input, call) }
                    }
                    if case .noRoom(let refusal as Refusal) = end { self.count(refusal, from: call.client) }
                    resumption.resume { endpoint.renderPending(retryAfter: end.retryAfter) }
                }
                self.ticketWaits.hold(held)
            }
        }
    }
}
