internal import Accounts
internal import Database
internal import HTTPServer

/// `GET /v1/documents:listen`: streams the changes of the caller's documents as they happen.
struct Listen: Sendable {
    let services: Services

    private static let head = Response(headers: [
        ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
        // Without this header, nginx buffers events that must arrive at once.
        ("X-Accel-Buffering", "no"),
    ])

    /// Checks the caller and the quotas, then starts a stream.
    ///
    /// - Throws: ``Refusal`` or ``RequestError`` for the client.
    func callAsFunction(_ request: Request) throws -> Handling {
        let token: PresentedToken, collection: String?, last: Int64?
        do {
            token = try services.bearerToken(of: request)
            collection = try self.collection(of: request)
            last = try lastEventID(of: request)
        } catch let refusal as Refusal {
            if let handling = services.adopting(refusal, request, guarded: true, callAsFunction) { return handling }
            throw services.judge(refusal, of: request, guarded: true)
        }
        return try services.reading("Listen") { [flows = services.flows] in
            try flows.authenticate(token, in: $0).user
        } then: { [services] result in
            let place = try services.judging(request, guarded: true) {
                try services.changes.place(for: result.get(), from: request.clientAddress)
            }
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

    /// The number of the last change that the client has received, from the header `Last-Event-ID`; `nil` if the header
    /// is missing or empty.
    ///
    /// - Throws: ``Refusal`` INVALID_EVENT_ID.
    private func lastEventID(of request: Request) throws -> Int64? {
        guard let text = request.header("last-event-id"), !text.isEmpty else { return nil }
        guard let number = Int64(text), number >= 0, text.utf8.first != UInt8(ascii: "+") else {
            throw Refusal(.invalidEventID, detail: "Last-Event-ID must be the id of an event of this stream.")
        }
        return number
    }
}
