internal import JSON

/// A part of a list of documents.
public struct DocumentPage: Sendable, Equatable {
    /// In the order of collection and id.
    public let documents: [Document]
    /// Asks for the page after this one; `nil` at the end.
    public let next: String?
}

extension Documents {
    /// Lists documents page by page, in the order of collection and id.
    ///
    /// ```swift
    /// for try await page in auth.documents.list(in: "notes") { show(page.documents) }
    /// ```
    ///
    /// What changes meanwhile may be seen or not; ``listen(in:after:)`` tells of it.
    ///
    /// - Parameters:
    ///   - collection: Which ones; `nil` for all.
    ///   - pageSize: How many a page has at most, up to 1000; a page of large documents has fewer.
    /// - Returns: The pages. A page is asked for when it is wanted.
    public func list(in collection: String? = nil, pageSize: Int = 100) -> DocumentPages {
        DocumentPages(documents: self, collection: collection, pageSize: pageSize)
    }

    /// Lists one page.
    ///
    /// - Parameters:
    ///   - collection: Which ones; `nil` for all.
    ///   - pageSize: How many at most, up to 1000.
    ///   - token: ``DocumentPage/next`` of the page before; `nil` for the first.
    /// - Returns: The page.
    /// - Throws: ``AuthError/Code/invalidDocumentName``, ``AuthError/Code/noCurrentUser``.
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

/// Pages of documents, asked for one after the other.
public struct DocumentPages: AsyncSequence, Sendable {
    let documents: Documents
    let collection: String?
    let pageSize: Int

    /// Begins with the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// Where one is in the pages.
    public struct Iterator: AsyncIteratorProtocol {
        let pages: DocumentPages
        private var token: String?
        private var isOver = false

        init(pages: DocumentPages) {
            self.pages = pages
        }

        /// The next page; `nil` after the last.
        public mutating func next() async throws(AuthError) -> DocumentPage? {
            guard !isOver else { return nil }
            let page = try await pages.documents.page(in: pages.collection, pageSize: pages.pageSize, after: token)
            token = page.next
            isOver = page.next == nil
            return page
        }
    }
}
