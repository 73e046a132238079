package import Accounts
package import Database

extension Transaction {
    package func document(_ name: DocumentName, of uid: String) throws -> Document? {
        try first(
            """
            SELECT collection, name, version, updated_at, content FROM documents
            WHERE uid = \(uid) AND collection = \(name.collection) AND name = \(name.id)
            """
        ) { row in try Document(row) }
    }

    package func documentState(_ name: DocumentName, of uid: String) throws -> DocumentState? {
        try first(
            """
            SELECT version, bytes FROM documents
            WHERE uid = \(uid) AND collection = \(name.collection) AND name = \(name.id)
            """
        ) { row in DocumentState(version: try row.integer(0), bytes: Int(try row.integer(1))) }
    }

    package func documents(
        of uid: String,
        in collection: String?,
        after last: DocumentName?,
        limit: Int,
        maximumBytes: Int
    ) throws -> DocumentPage {
        // The empty name sorts first.
        let (lastCollection, lastID) = (last?.collection ?? "", last?.id ?? "")
        let place: SQL =
            if let collection {
                "collection = \(collection) AND name > \(lastID)"
            } else {
                "(collection, name) > (\(lastCollection), \(lastID))"
            }
        var documents: [Document] = []
        var bytes = 0
        var hasMore = false
        try forEach(
            """
            SELECT collection, name, version, updated_at, content FROM documents
            WHERE uid = \(uid) AND \(place) ORDER BY collection, name LIMIT \(limit + 1)
            """
        ) { row in
            let document = try Document(row)
            bytes += document.bytes
            hasMore = documents.count == limit || bytes > maximumBytes && !documents.isEmpty
            if !hasMore { documents.append(document) }
            return !hasMore
        }
        return DocumentPage(documents: documents, hasMore: hasMore)
    }

    package func count(_ changes: DocumentChanges, of uid: String) throws -> DocumentUsage {
        let usage = try first(
            """
            UPDATE users SET change_number = change_number + \(changes.count),
                document_count = document_count + \(changes.addedDocuments),
                document_bytes = document_bytes + \(changes.addedBytes),
                documents_audited_at = CASE WHEN abs(documents_audited_at) > \(now - DocumentUsage.auditInterval)
                    THEN -abs(documents_audited_at) ELSE \(now) END
            WHERE uid = \(uid) RETURNING change_number, document_count, document_bytes, documents_audited_at
            """
        ) { row in
            DocumentUsage(
                changeNumber: try row.integer(0),
                documents: Int(try row.integer(1)),
                bytes: Int(try row.integer(2)),
                isAuditDue: try row.integer(3) > 0
            )
        }
        guard let usage else { throw DatabaseError(.misuse, message: "documents of a user that does not exist") }
        return usage
    }

    package func put(_ document: Document, of uid: String) throws {
        try enqueue(
            """
            INSERT INTO documents (uid, collection, name, bytes, version, created_at, updated_at, content)
            VALUES (\(uid), \(document.name.collection), \(document.name.id), \(document.bytes), \(document.version),
                \(now), \(document.updatedAt), \(document.content))
            ON CONFLICT (uid, collection, name) DO UPDATE SET bytes = excluded.bytes, version = excluded.version,
                updated_at = excluded.updated_at, content = excluded.content
            """
        )
        try recordChange(document.version, of: document.name, uid: uid)
    }

    package func deleteDocument(_ name: DocumentName, of uid: String, number: Int64) throws {
        try enqueue(
            """
            DELETE FROM documents WHERE uid = \(uid) AND collection = \(name.collection) AND name = \(name.id)
            """
        )
        try recordChange(number, of: name, uid: uid)
    }

    package func deleteChanges(of uid: String, through number: Int64) throws {
        try enqueue("DELETE FROM changes WHERE uid = \(uid) AND number <= \(number)")
    }

    /// Records in `changes`, which change streams read, that a document was changed or deleted.
    private func recordChange(_ number: Int64, of name: DocumentName, uid: String) throws {
        try enqueue(
            """
            INSERT INTO changes (uid, number, collection, name, changed_at)
            VALUES (\(uid), \(number), \(name.collection), \(name.id), \(now))
            """
        )
    }
}

extension Document {
    /// Reads collection, name, version, time of the last change and content from the first five columns.
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            name: DocumentName(storedCollection: try row.text(0), id: try row.text(1)),
            content: try row.text(4),
            version: try row.integer(2),
            updatedAt: try row.integer(3)
        )
    }
}
