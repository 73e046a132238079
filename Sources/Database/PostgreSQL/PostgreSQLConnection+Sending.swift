// Nothing here waits for the server.
extension PostgreSQLConnection {
    func sendStatement(_ sql: SQL) throws(DatabaseError) {
        if sql.steersConnection { throw .steering }
        var text: [UInt8]?
        if let onStatement = configuration.onStatement {
            let rendered = try dialect.render(sql)
            try onStatement(String(decoding: rendered, as: UTF8.self))
            text = rendered
        }
        if text == nil, !configuration.prepares || sql.hasInvalidIdentifier { text = try dialect.render(sql) }
        try beginIfWanted()
        statements += 1
        if let text, !configuration.prepares { return try send(text, sql.values) }
        let name = try name(of: sql, rendered: text)
        try link.send(prepared: name, sql.values)
        pipeline.sent()
    }

    func beginIfWanted() throws(DatabaseError) {
        guard let begin = pipeline.takeBegin() else { return }
        try send(begin)
        guard !configuration.prepares else { return }
        for (name, value) in configuration.sessionSettings {
            try send(Array("SET LOCAL \(name) = \(value)".utf8))
        }
    }

    func send(_ text: [UInt8], _ values: [SQLValue] = []) throws(DatabaseError) {
        try link.send(text, values)
        pipeline.sent()
    }

    /// Returns the name of a prepared statement, and first prepares the statement if the server does not know it.
    ///
    /// The caller must send the statement next.
    ///
    /// - Parameters:
    ///   - sql: the statement.
    ///   - rendered: the statement's text for the server, if the caller has it already.
    private func name(of sql: SQL, rendered: [UInt8]?) throws(DatabaseError) -> String {
        let text = StatementText(sql.text)
        switch prepared.use(text) {
        case .known(let name, let isConfirmed):
            if isConfirmed { pipeline.planNext() }
            return name
        case .new(let name, let afterClearing):
            if afterClearing {
                try send(Array("DEALLOCATE ALL".utf8))
                prepared.cleared()
            }
            let rendered = if let rendered { rendered } else { try dialect.render(sql) }
            try link.prepare(name, rendered)
            pipeline.sent()
            prepared.sent(text, as: name)
            return name
        }
    }
}
