package import Accounts
package import Database

extension Transaction {
    package func put(_ merge: StoredMerge) throws {
        let settledAt = merge.state == .preparing ? nil : now
        try enqueue(
            """
            INSERT INTO merges (merge, uid, target_uid, state, report, created_at, settled_at)
            VALUES (\(merge.id), \(merge.uid), \(merge.targetUID), \(merge.state.rawValue), \(merge.report), \(now),
                \(settledAt))
            ON CONFLICT (merge) DO UPDATE SET state = excluded.state, report = excluded.report,
                settled_at = excluded.settled_at
            """
        )
    }

    package func merge(_ id: String) throws -> StoredMerge? {
        try first("SELECT \(StoredMerge.columns) FROM merges WHERE merge = \(id)") { row in try StoredMerge(row) }
    }

    /// Returns the merges of a guest and into a user whose reports are kept, the oldest first.
    package func merges(of uid: String) throws -> [StoredMerge] {
        try all(
            "SELECT \(StoredMerge.columns) FROM merges WHERE uid = \(uid) OR target_uid = \(uid) ORDER BY id"
        ) { row in try StoredMerge(row) }
    }

    package func committedMerge(of uid: String) throws -> StoredMerge? {
        try first(
            "SELECT \(StoredMerge.columns) FROM merges WHERE uid = \(uid) AND state = \(MergeState.committed.rawValue)"
        ) { row in try StoredMerge(row) }
    }

    package func documentCounts(of uid: String) throws -> [(collection: String, count: Int64)] {
        try all(
            """
            SELECT collection, COUNT(*) FROM documents WHERE uid = \(uid) GROUP BY collection ORDER BY collection
            """
        ) { row in (try row.text(0), try row.integer(1)) }
    }

    package func documentConflicts(of guest: String, with target: String) throws -> [DocumentConflict] {
        // Starts from the guest's documents, because a guest has few, and looks each up among the target's.
        try all(
            """
            SELECT g.collection, g.name, g.id, t.id, g.updated_at, t.updated_at
            FROM documents g JOIN documents t ON t.uid = \(target) AND t.collection = g.collection AND t.name = g.name
            WHERE g.uid = \(guest) ORDER BY g.collection, g.name
            """
        ) { row in
            DocumentConflict(
                collection: try row.text(0),
                name: try row.text(1),
                guestRow: try row.integer(2),
                targetRow: try row.integer(3),
                guestUpdatedAt: try row.integer(4),
                targetUpdatedAt: try row.integer(5)
            )
        }
    }

    package func documentContent(row: Int64) throws -> String {
        guard let content = try first("SELECT content FROM documents WHERE id = \(row)", { try $0.text(0) }) else {
            throw DatabaseError(.misuse, message: "no document in the row")
        }
        return content
    }

    package func setDocumentContent(row: Int64, to content: String) throws {
        let bytes = content.utf8.count
        try enqueue(
            """
            UPDATE users SET document_bytes = document_bytes + \(bytes) - (SELECT bytes FROM documents WHERE id = \(row))
            WHERE uid = (SELECT uid FROM documents WHERE id = \(row))
            """
        )
        try enqueue(
            "UPDATE documents SET content = \(content), bytes = \(bytes), updated_at = \(now) WHERE id = \(row)"
        )
    }

    package func renameDocument(row: Int64, to name: String) throws {
        try enqueue("UPDATE documents SET name = \(name) WHERE id = \(row)")
    }

    package func hasDocument(_ name: String, in collection: String, of uids: [String]) throws -> Bool {
        try first(
            "SELECT 1 FROM documents WHERE uid IN \(in: uids) AND collection = \(collection) AND name = \(name)"
        ) { _ in true } ?? false
    }

    package func deleteDocuments(rows: [Int64], of owner: String) throws {
        // Well below the engines' limits for binds.
        for start in stride(from: 0, to: rows.count, by: 512) {
            let batch = Array(rows[start..<min(start + 512, rows.count)])
            try enqueue(
                """
                UPDATE users SET document_count = document_count - \(batch.count), document_bytes = document_bytes
                    - (SELECT COALESCE(SUM(bytes), 0) FROM documents WHERE id IN \(in: batch))
                WHERE uid = \(owner)
                """
            )
            try enqueue("DELETE FROM documents WHERE id IN \(in: batch)")
        }
    }

    package func moveDocuments(from guest: String, to target: String, noting limit: Int) throws {
        let bytes = try first("SELECT document_bytes FROM users WHERE uid = \(guest)") { try $0.integer(0) }
        let number = try first("SELECT change_number FROM users WHERE uid = \(target)") { try $0.integer(0) }
        guard let bytes, let number else { throw DatabaseError(.misuse, message: "a merge of users who do not exist") }
        let count = try execute(
            """
            UPDATE documents SET uid = \(target), version = \(number) + place
            FROM (SELECT id AS moved, ROW_NUMBER() OVER (ORDER BY collection, name) AS place
                FROM documents WHERE uid = \(guest)) AS moves
            WHERE id = moved
            """
        )
        guard count > 0 else { return }
        try enqueue(
            """
            UPDATE users SET change_number = change_number + \(count), document_count = document_count + \(count),
                document_bytes = document_bytes + \(bytes)
            WHERE uid = \(target)
            """
        )
        guard count <= limit else { return }
        try enqueue(
            """
            INSERT INTO changes (uid, number, collection, name, changed_at)
            SELECT uid, version, collection, name, CAST(\(now) AS BIGINT) FROM documents
            WHERE uid = \(target) AND version > \(number)
            """
        )
    }

    package func moveUsername(from guest: String, to target: String) throws -> (name: String, moved: Bool)? {
        guard let name = try first("SELECT name FROM usernames WHERE uid = \(guest)", { try $0.text(0) }) else {
            return nil
        }
        let moved = try execute(
            """
            UPDATE usernames SET uid = \(target) WHERE uid = \(guest)
                AND NOT EXISTS (SELECT 1 FROM usernames WHERE uid = \(target))
            """
        )
        return (name, moved == 1)
    }
}

extension StoredMerge {
    /// The columns of `merges` that ``init(_:)`` reads, in its order.
    fileprivate static let columns: SQL = "merge, uid, target_uid, state, report"

    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            id: try row.text(0),
            uid: try row.text(1),
            targetUID: try row.text(2),
            state: try row.value(3),
            report: try row.optionalText(4)
        )
    }
}
