/// A JSON object that belongs to a user.
package struct Document: Sendable, Equatable {
    package let name: DocumentName
    /// Compact JSON text, byte for byte as it was stored.
    package let content: String
    /// The number of the change that wrote it.
    package let version: Int64
    /// Milliseconds since 1970.
    package let updatedAt: Int64

    /// Makes a document from its parts.
    package init(name: DocumentName, content: String, version: Int64, updatedAt: Int64) {
        self.name = name
        self.content = content
        self.version = version
        self.updatedAt = updatedAt
    }

    /// What counts against the user's limit.
    package var bytes: Int { content.utf8.count }
}

/// What there is to know of a stored document without reading it.
package struct DocumentState: Sendable, Equatable {
    package let version: Int64
    package let bytes: Int

    /// Makes a state from its parts.
    package init(version: Int64, bytes: Int) {
        self.version = version
        self.bytes = bytes
    }
}

/// A part of a user's documents, in order.
package struct DocumentPage: Sendable, Equatable {
    package let documents: [Document]
    /// Whether others follow.
    package let hasMore: Bool

    /// Makes a page from its parts.
    package init(documents: [Document], hasMore: Bool) {
        self.documents = documents
        self.hasMore = hasMore
    }
}

/// What a transaction adds to the counts that a user's row keeps.
package struct DocumentChanges: Sendable, Equatable {
    /// How many documents are written or deleted; each gets a number.
    package var count: Int
    /// How many more documents there are then; negative for fewer.
    package var addedDocuments: Int
    package var addedBytes: Int

    /// Makes changes from their parts.
    package init(count: Int = 0, addedDocuments: Int = 0, addedBytes: Int = 0) {
        self.count = count
        self.addedDocuments = addedDocuments
        self.addedBytes = addedBytes
    }
}

/// The counts of a user's row.
package struct DocumentUsage: Sendable, Equatable {
    /// The number of the newest change.
    package let changeNumber: Int64
    package let documents: Int
    package let bytes: Int

    /// Makes counts from their parts.
    package init(changeNumber: Int64, documents: Int, bytes: Int) {
        self.changeNumber = changeNumber
        self.documents = documents
        self.bytes = bytes
    }
}
