internal import Accounts
internal import HTTPServer

extension Services {
    /// Adds the routes of the calls on the caller's own documents, including the one that streams their changes.
    func addDocuments(to router: inout Router) {
        let read = handler(ReadDocument(services: self), guarding: true)
        let delete = handler(DeleteDocument(services: self), guarding: true)
        let list = handler(ListDocuments(services: self), guarding: true)
        let writes: [(Method, String, Handler)] = [
            (.put, Self.documentPath, handler(WriteDocument(services: self, verb: .set), guarding: true)),
            (.patch, Self.documentPath, handler(WriteDocument(services: self, verb: .patch), guarding: true)),
            (.patch, "/v1/documents", handler(WriteDocuments(services: self), guarding: true)),
        ]
        // A document may contain as much white space as text.
        let maximumBody = max(1 << 20, 2 * configuration.policy.documents.maxBytes)
        for (method, path, handler) in writes {
            router.add(method, path, cors: true, maximumBody: maximumBody, guarded(handler))
        }
        router.add(.get, Self.documentPath, cors: true, guarded(read))
        router.add(.delete, Self.documentPath, cors: true, guarded(delete))
        router.add(.get, "/v1/documents", cors: true, guarded(list))
        router.add(.get, "/v1/documents:listen", cors: true, guarded(Listen(services: self).callAsFunction))
    }

    private static let documentPath = "/v1/documents/{collection}/{id}"
}
