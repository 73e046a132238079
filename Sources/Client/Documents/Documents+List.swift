internal import JSON

/// A page of a list of documents.
public struct DocumentPage: Sendable, Equatable {
    /// The documents, ordered by collection and ID.
    public let documents: [Document]
    /// The token to pass to ``Documents/page(in:pageSize:after:)`` for the next page; `nil` if this is the last page.
    public let next: String?
}

extension Documents {
    /// Lists documents page by page, ordered by collection and ID.
    ///
    /// ```swift
    /// for try await page in auth.documents.list(in: "notes") { show(page.documents) }
    /// ```
    ///
    /// Concurrent changes may be included or not; ``listen(in:after:)`` reports them.
    ///
    /// - Parameters:
    ///   - collection: the collection; `nil` for all.
    ///   - pageSize: the maximum number of documents on a page, up to 1000. A page of large documents has fewer.
    /// - Returns: the pages. Each page is requested on demand.
    public func list(in collection: String? = nil, pageSize: Int = 100) -> DocumentPages {
        DocumentPages(documents: self, collection: collection, pageSize: pageSize)
    }

    /// Requests one page of a list of documents, ordered by collection and ID.
    ///
    /// - Parameters:
    ///   - collection: the collection; `nil` for all.
    ///   - pageSize: the maximum number of documents, up to 1000.
    ///   - token: ``DocumentPage/next`` of the previous page; `nil` for the first.
    /// - Returns: the page.
    /// - Throws: ``AuthError/Code/invalidDocumentName``, and as ``Auth/reload()``.
    public func page(
        in collection: String? = nil,
        pageSize: Int = 100,
        after token: String? = nil
    ) async throws(AuthError) -> DocumentPage {
        var query = ["pageSize=\(pageSize)"]
        if let collection {
            guard DocumentPath.isName(collection) else { throw AuthError(.invalidDocumentName) }
            query.append("collection=\(collection)")
        }
        if let token { query.append("pageToken=\(API.percentEncoded(token))") }
        let path = "/v1/documents?" + query.joined(separator: "&")
        return try await send(API.Call(method: "GET", path: path, type: nil, isRepeatable: true)) { response in
            guard let answer = JSONValue.parse(answer: response.body), let entries = answer["documents"]?.array else {
                return nil
            }
            let documents = entries.compactMap { Document($0) }
            guard documents.count == entries.count else { return nil }
            return DocumentPage(documents: documents, next: answer["nextPageToken"]?.string)
        }
    }
}

/// Pages of documents, requested one after the other.
public struct DocumentPages: AsyncSequence, Sendable {
    let documents: Documents
    let collection: String?
    let pageSize: Int

    /// Starts with the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// A position in the pages.
    public struct Iterator: AsyncIteratorProtocol {
        let pages: DocumentPages
        private var token: String?
        private var isOver = false

        init(pages: DocumentPages) {
            self.pages = pages
        }

        /// Returns the next page; `nil` after the last.
        public mutating func next() async throws(AuthError) -> DocumentPage? {
            guard !isOver else { return nil }
            let page = try await pages.documents.page(in: pages.collection, pageSize: pages.pageSize, after: token)
            token = page.next
            isOver = page.next == nil
            return page
        }
    }
}
