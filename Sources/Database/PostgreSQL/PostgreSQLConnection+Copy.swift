extension PostgreSQLConnection {
    /// Runs `COPY … TO STDOUT` in the transaction.
    ///
    /// - Parameters:
    ///   - sql: the statement, without values.
    ///   - take: gets the lines.
    /// - Throws: ``DatabaseError``, or what `take` throws.
    func copyOut(_ sql: SQL, _ take: (RowLines) throws -> Void) throws {
        try standAlone()
        try link.copyOut(try dialect.render(sql), waiting: configuration.statementTimeout, take)
    }

    /// Begins `COPY … FROM STDIN` in the transaction; until its end nothing but lines may be sent.
    func beginCopyIn(_ sql: SQL) throws(DatabaseError) {
        try standAlone()
        try link.beginCopyIn(try dialect.render(sql), waiting: configuration.statementTimeout)
    }

    /// Puts lines into the table.
    ///
    /// - Throws: `unavailable`; what the server says of lines comes out of the end.
    func putCopyIn(_ lines: RowLines) throws(DatabaseError) {
        try link.putCopyIn(lines.bytes, waiting: configuration.statementTimeout)
    }

    /// Ends the lines.
    ///
    /// - Throws: what the server says of them.
    func endCopyIn() throws(DatabaseError) {
        try link.endCopyIn(waiting: configuration.statementTimeout)
    }

    /// Begins the transaction where it has not, and waits for what was sent: COPY stands alone.
    private func standAlone() throws(DatabaseError) {
        try beginIfWanted()
        _ = try answers()
    }
}
