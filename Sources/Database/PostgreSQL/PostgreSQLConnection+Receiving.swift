internal import CPostgreSQL

extension PostgreSQLConnection {
    func endBatch() throws(DatabaseError) {
        try link.synchronize()
        try link.flush()
        pipeline.endBatch()
    }

    /// Ends the batch and reads the answers to everything sent.
    ///
    /// - Returns: the answer to the last statement; `nil` if none was sent.
    /// - Throws: the error of the first failed statement.
    func answers() throws(DatabaseError) -> PostgreSQLResult? {
        try endBatch()
        roundTrips += 1
        // The server sends nothing before the end of a batch, so this deadline covers the whole batch.
        let deadline = Deadline(in: patience)
        var last: PostgreSQLResult?
        var failure: DatabaseError?
        while let batch = pipeline.nextBatch {
            // Errors of abandoned transactions are ignored.
            (last, failure) = try read(batch, by: deadline)
            pipeline.finishBatch()
        }
        prepared.confirm()
        if let failure { throw failure }
        return last
    }

    private func read(
        _ batch: Pipeline<PostgreSQLResult>.Batch,
        by deadline: Deadline
    ) throws(DatabaseError) -> (PostgreSQLResult?, DatabaseError?) {
        var last: PostgreSQLResult?
        var failure: DatabaseError?
        for place in 0..<batch.statements {
            while let handle = unsafe try link.receive(by: deadline) {
                let result = unsafe PostgreSQLResult(owning: handle)
                if let error = result.error, failure == nil {
                    let isOfServer = result.status != PGRES_FATAL_ERROR || result.sqlState != nil
                    guard isOfServer else { throw link.broken("the answer could not be read") }
                    failure = record(error, result.sqlState, at: batch.isCurrent ? place : nil)
                }
                last = result
                changes &+= result.changes
                if batch.isCurrent { pipeline.received(result, at: place) }
            }
        }
        guard let handle = unsafe try link.receive(by: deadline) else {
            throw link.broken("the server left out an answer")
        }
        unsafe PQclear(handle)
        return (last, failure)
    }

    /// Forgets statements that the server may not know, and turns errors about them into conflicts, so that the closure
    /// is retried.
    ///
    /// - Parameters:
    ///   - error: the server's error.
    ///   - sqlState: the error's SQLSTATE; `nil` if libpq itself failed.
    ///   - place: the statement's place in the current batch; `nil` if it belongs to an abandoned batch.
    private func record(_ error: DatabaseError, _ sqlState: String?, at place: Int?) -> DatabaseError {
        prepared.forgetUnconfirmed()
        switch pipeline.failure(sqlState, at: place) {
        case .ofStatement: return error
        case .ofStandby: return DatabaseError(.readOnly, message: error.message)
        case .ofPlans:
            prepared.forgetAll()
            return DatabaseError(.conflict, message: error.message)
        }
    }
}
