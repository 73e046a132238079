internal import Accounts

extension Services {
    /// Does what follows from a committed sign-in with an e-mail link or its code: counts a refusal; otherwise logs the
    /// sign-in, notifies the change streams of its users and the calls that wait for its ticket, and schedules its
    /// follow-up work.
    func announce(_ decision: Decision<SignedIn>, of call: CallContext) {
        switch decision {
        case .refused(let refusal): count(refusal, from: call.client)
        case .done(let signedIn):
            // A repeated answer has no ticket.
            if signedIn.redeemed != nil { metrics.count(.redeemed) }
            signIns.record(signedIn, remembersClient: true)
            announce(signedIn.merged)
            // Linking ends the user's earlier sessions.
            changes.ended(signedIn.user.uid)
            if signedIn.linked { changes.hint(.updated, to: signedIn.user.uid) }
            if let redeemed = signedIn.redeemed { ticketWaits.changed(redeemed.id) }
            log(signedIn.linked ? "user.linked" : "user.signed-in", signedIn)
        }
    }
}
