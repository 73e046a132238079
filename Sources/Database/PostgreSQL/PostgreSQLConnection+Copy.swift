extension PostgreSQLConnection {
    /// Runs `COPY … TO STDOUT` in the transaction.
    ///
    /// - Parameters:
    ///   - sql: the statement, without values.
    ///   - take: receives the lines.
    /// - Throws: ``DatabaseError``, or what `take` throws.
    func copyOut(_ sql: SQL, _ take: (RowLines) throws -> Void) throws {
        try standAlone()
        try link.copyOut(try dialect.render(sql), waiting: configuration.statementTimeout, take)
    }

    /// Starts `COPY … FROM STDIN` in the transaction.
    ///
    /// Until ``endCopyIn()``, only lines may be sent on the connection.
    func beginCopyIn(_ sql: SQL) throws(DatabaseError) {
        try standAlone()
        try link.beginCopyIn(try dialect.render(sql), waiting: configuration.statementTimeout)
    }

    /// Sends lines to the table of the started copy.
    ///
    /// - Throws: `unavailable`. Errors about the lines are thrown by ``endCopyIn()``.
    func putCopyIn(_ lines: RowLines) throws(DatabaseError) {
        try link.putCopyIn(lines.bytes, waiting: configuration.statementTimeout)
    }

    /// Ends the copy.
    ///
    /// - Throws: the server's error about the lines.
    func endCopyIn() throws(DatabaseError) {
        try link.endCopyIn(waiting: configuration.statementTimeout)
    }

    /// Starts the transaction if needed and waits for all pending answers, because COPY cannot be pipelined.
    private func standAlone() throws(DatabaseError) {
        try beginIfWanted()
        _ = try answers()
    }
}
