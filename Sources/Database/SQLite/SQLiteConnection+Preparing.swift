internal import CSQLite

/// Statements, prepared once and kept while they are used often.
extension SQLiteConnection {
    func prepared(_ sql: SQL) throws(DatabaseError) -> SQLiteStatement {
        if let statement = cache.statement(sql.text) { return statement }
        let text = try dialect.render(sql)
        let statement = try prepare(text)
        if sql.steersConnection { throw .steering }
        cache.insert(statement, text: sql.text)
        return statement
    }

    func prepare(_ text: [UInt8]) throws(DatabaseError) -> SQLiteStatement {
        let (statement, tail) = try prepareFirst(text)
        guard let statement, tail.allSatisfy({ $0 <= 0x20 || $0 == UInt8(ascii: ";") }) else {
            throw DatabaseError(.misuse, message: "not exactly one statement")
        }
        return statement
    }

    /// Prepares the first statement of a text of several statements separated by `;`.
    ///
    /// - Returns: the first statement (nil if there are only spaces and comments) and the text after it.
    func prepareFirst(_ text: [UInt8]) throws(DatabaseError) -> (statement: SQLiteStatement?, tail: [UInt8]) {
        var prepared: OpaquePointer?
        var consumed = text.count
        let code = unsafe text.withUnsafeBytes { bytes -> Int32 in
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return SQLITE_OK }
            var tail: UnsafePointer<CChar>?
            let code = unsafe sqlite3_prepare_v3(
                handle,
                start,
                Int32(clamping: bytes.count),
                UInt32(SQLITE_PREPARE_PERSISTENT),
                &prepared,
                &tail
            )
            if let tail = unsafe tail { consumed = unsafe start.distance(to: tail) }
            return code
        }
        guard code == SQLITE_OK else { throw unsafe .sqlite(handle, code: code) }
        let statement = unsafe prepared.map { unsafe SQLiteStatement(owning: $0) }
        return (statement, Array(text[consumed...]))
    }
}
