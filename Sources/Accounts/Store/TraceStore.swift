/// The trace of requested e-mails.
package protocol TraceStore {
    /// Adds an event. Costs no round trip of its own, because no result is waited for.
    func trace(_ entry: TraceEntry) throws

    /// Adds events of e-mails, which have no address, user, device or network, like ``trace(_:)``.
    func traceOfMails(_ entries: [TraceEntry]) throws

    /// Adds events like ``trace(_:)``, but not those whose user, ``TraceEntry/uid``, no longer exists.
    func traceOfUsers(_ entries: [TraceEntry]) throws

    /// Adds the opening of a link, unless it was opened in the minute before, or its request has
    /// ``LinkOpening/mostPerRequest`` openings already; does nothing for a link that no longer exists.
    func trace(_ opening: LinkOpening) throws

    /// Returns requests, newest first, each with its events.
    ///
    /// - Parameters:
    ///   - subject: whose requests.
    ///   - position: the ``TracedRequest/position`` before which the page begins; `nil` for the newest.
    ///   - limit: the maximum number of requests.
    func traces(of subject: TraceSubject, before position: Int64?, limit: Int) throws -> [TracedRequest]

    /// Deletes the requests of a subject with all their events.
    ///
    /// - Returns: the number of deleted events.
    func deleteTraces(of subject: TraceSubject) throws -> Int

    /// Returns the event with which an e-mail was put in the outbox; `nil` if the trace does not have it.
    func queuedTrace(ofMail mail: String) throws -> TraceEntry?
}

extension LinkOpening {
    /// The maximum number of openings that the trace keeps of one request.
    package static let mostPerRequest: Int64 = 20
    /// The milliseconds within which a link counts as opened once.
    package static let interval: Int64 = 60_000
}
