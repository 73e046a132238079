internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /v1/documents:listen`: the changes of the caller's documents as they happen.
struct Listen: Sendable {
    let services: Services

    private static let head = Response(headers: [
        ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
        // nginx would gather what is meant to arrive at once.
        ("X-Accel-Buffering", "no"),
    ])

    /// Begins a stream.
    ///
    /// - Throws: ``Refusal``.
    func callAsFunction(_ request: Request) throws -> Handling {
        try services.judging(request, guarded: true) {
            let token = try services.bearerToken(of: request)
            let collection = try collection(of: request)
            let last = try lastEventID(of: request)
            let (user, _) = try services.lookUp { [flows = services.flows] in try flows.authenticate(token, in: $0) }
            let place = try services.changes.place(for: user, from: request.clientAddress)
            return .stream(Self.head) { [changes = services.changes] writer in
                changes.open(
                    Listener(token: token, collection: collection, writer: writer, place: place, last: last)
                )
            }
        }
    }

    private func collection(of request: Request) throws -> String? {
        guard !request.hasMalformedQuery else { throw RequestError.schema("The query is not valid.") }
        guard let collection = request.queryValue("collection") else { return nil }
        try DocumentName.check(collection)
        return collection
    }

    /// The number of the last change that the client knows of.
    private func lastEventID(of request: Request) throws -> Int64? {
        guard let text = request.header("last-event-id"), !text.isEmpty else { return nil }
        guard let number = Int64(text), number >= 0, text.utf8.first != UInt8(ascii: "+") else {
            throw Refusal(.invalidEventID, detail: "Last-Event-ID must be the id of an event of this stream.")
        }
        return number
    }
}
