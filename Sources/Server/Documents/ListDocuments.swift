internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON
internal import Tokens

/// `GET /v1/documents`: lists the caller's documents, all of them or those of one collection, page by page.
///
/// A page continues after the last document of the previous one, whatever was written in between. A document that
/// exists throughout is listed exactly once.
struct ListDocuments: ReadingEndpoint {
    struct Input: Sendable {
        let token: PresentedToken
        let collection: String?
        let last: DocumentName?
        let limit: Int
    }

    // Otherwise a session that ends between two queries could see documents that were written after its end.
    static let needsSnapshot = true

    /// The maximum number of bytes of a page's documents, unless the first document alone is larger.
    static let maximumBytes = 1 << 20

    let services: Services

    func decode(_ request: Request) throws -> Input {
        let token = try services.bearerToken(of: request)
        guard !request.hasMalformedQuery else { throw RequestError.schema("The query is not valid.") }
        let collection = request.queryValue("collection")
        if let collection { try DocumentName.check(collection) }
        let last = try request.queryValue("pageToken").flatMap { try $0.isEmpty ? nil : Self.name(pageToken: $0) }
        if let collection, let last, last.collection != collection { throw Refusal(.invalidPageToken) }
        return Input(token: token, collection: collection, last: last, limit: try limit(request))
    }

    private func limit(_ request: Request) throws -> Int {
        guard let text = request.queryValue("pageSize") else { return 100 }
        guard let size = Int(text), size > 0 else {
            throw Refusal(.unexpectedParameter, detail: "pageSize must be a whole number from 1 to 1000.")
        }
        return min(size, 1000)
    }

    func transact(_ input: Input, in transaction: Transaction) throws -> DocumentPage {
        try services.flows.documents(
            of: input.token,
            in: input.collection,
            after: input.last,
            limit: input.limit,
            maximumBytes: Self.maximumBytes,
            store: transaction
        )
    }

    func render(_ page: DocumentPage) throws -> Response {
        var json = JSONWriter(capacity: page.documents.reduce(64) { $0 + $1.bytes + 192 })
        json.beginObject()
        json.beginArray("documents")
        for document in page.documents {
            json.beginObject()
            json.member("collection", document.name.collection)
            json.member("id", document.name.id)
            json.member("version", String(document.version))
            json.member("updatedAt", Timestamp.rfc3339(milliseconds: document.updatedAt))
            json.member("document", rawJSON: document.content.utf8)
            json.endObject()
        }
        json.endArray()
        if page.hasMore, let last = page.documents.last { json.member("nextPageToken", Self.pageToken(last.name)) }
        json.endObject()
        var response = Response.json(json.bytes)
        response.forbidCaching()
        return response
    }

    private static func pageToken(_ last: DocumentName) -> String {
        Base64URL.encode(Array(last.description.utf8))
    }

    private static func name(pageToken: String) throws -> DocumentName {
        let parts = Base64URL.decode(pageToken)?.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let parts, parts.count == 2, let collection = String(validating: parts[0], as: UTF8.self),
            let id = String(validating: parts[1], as: UTF8.self),
            let name = try? DocumentName(collection: collection, id: id)
        else { throw Refusal(.invalidPageToken) }
        return name
    }
}
