/// A JSON object that belongs to a user.
package struct Document: Sendable, Equatable {
    package let name: DocumentName
    /// Compact JSON text, byte for byte as it was stored.
    package let content: String
    /// The number of the change that last wrote the document, among all changes to the user's documents.
    package let version: Int64
    /// When the document was last written, in milliseconds since 1970.
    package let updatedAt: Int64

    /// Makes a document from its parts.
    package init(name: DocumentName, content: String, version: Int64, updatedAt: Int64) {
        self.name = name
        self.content = content
        self.version = version
        self.updatedAt = updatedAt
    }

    /// The size of the content in bytes, which counts against the user's limit.
    package var bytes: Int { content.utf8.count }
}

/// The version and size of a stored document, without its content.
package struct DocumentState: Sendable, Equatable {
    package let version: Int64
    package let bytes: Int

    /// Makes a state from its parts.
    package init(version: Int64, bytes: Int) {
        self.version = version
        self.bytes = bytes
    }
}

/// A page of a user's documents, by collection and id in ascending order.
package struct DocumentPage: Sendable, Equatable {
    package let documents: [Document]
    /// Whether more documents follow the last one of the page.
    package let hasMore: Bool

    /// Makes a page from its parts.
    package init(documents: [Document], hasMore: Bool) {
        self.documents = documents
        self.hasMore = hasMore
    }
}

/// What a transaction adds to the counts of a user's documents (``DocumentUsage``).
package struct DocumentChanges: Sendable, Equatable {
    /// The number of documents that are written or deleted; each gets a change number.
    package var count: Int
    /// The change in the number of documents; negative for fewer.
    package var addedDocuments: Int
    /// The change in the total size in bytes; negative for less.
    package var addedBytes: Int

    /// Makes changes from their parts.
    package init(count: Int = 0, addedDocuments: Int = 0, addedBytes: Int = 0) {
        self.count = count
        self.addedDocuments = addedDocuments
        self.addedBytes = addedBytes
    }
}

/// The counts of a user's documents, which are kept in the user's row.
package struct DocumentUsage: Sendable, Equatable {
    /// The number of the newest change to the user's documents, from 1; 0 before the first.
    package let changeNumber: Int64
    package let documents: Int
    /// The total size of the documents, in bytes.
    package let bytes: Int
    /// Whether the audit log has had no entry about the user's documents for ``auditInterval``, so that it gets one now.
    package let isAuditDue: Bool

    /// The milliseconds between two entries of the audit log about a user's documents.
    ///
    /// Apps write all the time, and entries are kept for long: 116 bytes each on SQLite, for 400 days by default. People use
    /// an app for some minutes at a time, so this interval leaves an entry or two for each use. The time of the last entry
    /// is in the user's row, which every write updates, so that writes in between cost nothing.
    package static let auditInterval: Int64 = 600_000

    /// Makes counts from their parts.
    package init(changeNumber: Int64, documents: Int, bytes: Int, isAuditDue: Bool = false) {
        self.changeNumber = changeNumber
        self.documents = documents
        self.bytes = bytes
        self.isAuditDue = isAuditDue
    }
}
