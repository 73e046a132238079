extension PostgreSQLConnection: TransactionEngine {
    var prefetches: Bool { true }
    var omittedProtections: Set<String> { configuration.omittedProtections }

    func prefetch(_ sql: SQL) throws(DatabaseError) {
        try sendStatement(sql)
        pipeline.awaitLast(Pipeline.Question(sql))
    }

    func answer(_ query: SQL, withPrefetched other: SQL) { pipeline.answer(query, withPrefetched: other) }

    func flush() throws(DatabaseError) {
        if pipeline.unanswered > 0 { _ = try answers() }
    }

    func open(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        switch pipeline.lookUp(sql) {
        case .known(let result): return result
        case .awaited:
            _ = try answers()
            if case .known(let result) = pipeline.lookUp(sql) { return result }
        case .unknown: break
        }
        return try openBesidePrefetched(sql)
    }

    func openBesidePrefetched(_ sql: SQL) throws(DatabaseError) -> any StatementCursor {
        try sendStatement(sql)
        guard let result = try answers() else {
            throw DatabaseError(.internal, message: "the server did not answer a statement")
        }
        return result
    }

    func beginLast(_ change: SQL) throws(DatabaseError) {
        pipeline.forgetPrefetched()
        try prefetch(change)
    }

    func commitLast(_ change: SQL) throws(DatabaseError) -> any StatementCursor {
        try commit()
        guard let result = pipeline.takePrefetched(change) else {
            throw DatabaseError(.internal, message: "the server did not answer the last statement")
        }
        return result
    }

    func queue(_ sql: SQL) throws(DatabaseError) {
        pipeline.forgetPrefetched()
        try sendStatement(sql)
        if pipeline.isFull { _ = try answers() }
    }

    func attempt(_ sql: SQL) throws(DatabaseError) -> Int {
        pipeline.forgetPrefetched()
        try beginIfWanted()
        try send(Array("SAVEPOINT attempt".utf8))
        _ = try answers()
        do throws(DatabaseError) {
            let changes = try open(sql).changes
            try send(Array("RELEASE SAVEPOINT attempt".utf8))
            return changes
        } catch {
            guard !link.isBroken else { throw error }
            try send(Array("ROLLBACK TO SAVEPOINT attempt".utf8))
            try send(Array("RELEASE SAVEPOINT attempt".utf8))
            throw error
        }
    }

    func setSavepoint() throws(DatabaseError) {
        try beginIfWanted()
        try send(Array("SAVEPOINT closure".utf8))
    }

    func rollBackToSavepoint() throws(DatabaseError) {
        pipeline.forgetPrefetched()
        // A failure that has not been read yet would have failed the commit.
        try flush()
        try send(Array("ROLLBACK TO SAVEPOINT closure".utf8))
        try send(Array("RELEASE SAVEPOINT closure".utf8))
    }

    func releaseSavepoint() throws(DatabaseError) {
        pipeline.forgetPrefetched()
        try send(Array("RELEASE SAVEPOINT closure".utf8))
    }

    func deferForeignKeys() throws(DatabaseError) {
        try beginIfWanted()
        try send(Array("SET CONSTRAINTS ALL DEFERRED".utf8))
    }

    func unresolvedConstraint() throws(DatabaseError) -> DatabaseError? {
        pipeline.forgetPrefetched()
        try beginIfWanted()
        try send(Array("SAVEPOINT unresolved".utf8))
        _ = try answers()
        var unresolved: DatabaseError?
        do throws(DatabaseError) {
            try send(Array("SET CONSTRAINTS ALL IMMEDIATE".utf8))
            _ = try answers()
        } catch {
            guard case .constraint = error.kind, !link.isBroken else { throw error }
            unresolved = error
        }
        // Later violations may be deferred again.
        try send(Array("ROLLBACK TO SAVEPOINT unresolved".utf8))
        try send(Array("RELEASE SAVEPOINT unresolved".utf8))
        return unresolved
    }

    func attach(_ path: String, as name: String) throws(DatabaseError) {
        throw DatabaseError(.misuse, message: "only SQLite attaches files")
    }
}
