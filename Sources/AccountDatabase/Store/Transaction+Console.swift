package import Accounts
package import Database

/// A document as a list shows it, without its content.
package struct ListedDocument: Sendable, Equatable {
    package let name: DocumentName
    package let bytes: Int64
    /// Milliseconds since 1970.
    package let updatedAt: Int64
}

/// A merge as a list shows it.
package struct ListedMerge: Sendable, Equatable {
    package let merge: StoredMerge
    /// Milliseconds since 1970.
    package let createdAt: Int64
}

// The lists of the console. Each reads a limited number of rows of an index.
extension Transaction {
    /// Returns names and sizes of a user's documents, by collection and id in ascending order.
    ///
    /// - Parameters:
    ///   - uid: the user.
    ///   - last: the name after which the list begins; `nil` for the first documents.
    ///   - limit: the maximum number of documents.
    package func listedDocuments(of uid: String, after last: DocumentName?, limit: Int64) throws -> [ListedDocument] {
        try all(
            """
            SELECT collection, name, bytes, updated_at FROM documents
            WHERE uid = \(uid) AND (collection, name) > (\(last?.collection ?? ""), \(last?.id ?? ""))
            ORDER BY collection, name LIMIT \(limit)
            """
        ) { row in
            ListedDocument(
                name: DocumentName(storedCollection: try row.text(0), id: try row.text(1)),
                bytes: try row.integer(2),
                updatedAt: try row.integer(3)
            )
        }
    }

    /// Returns the merges of guests into a user, or of a guest into another user, the newest first.
    package func merges(about uid: String, limit: Int64) throws -> [ListedMerge] {
        let read: (borrowing Row) throws -> ListedMerge = { row in
            ListedMerge(
                merge: StoredMerge(
                    id: try row.text(0),
                    uid: try row.text(1),
                    targetUID: try row.text(2),
                    state: try row.value(3),
                    report: try row.optionalText(4)
                ),
                createdAt: try row.integer(5)
            )
        }
        let columns: SQL = "merge, uid, target_uid, state, report, created_at"
        let into = try all(
            "SELECT \(columns) FROM merges WHERE target_uid = \(uid) ORDER BY id DESC LIMIT \(limit)",
            read
        )
        let away = try all("SELECT \(columns) FROM merges WHERE uid = \(uid) ORDER BY id DESC LIMIT \(limit)", read)
        return into + away
    }
}
