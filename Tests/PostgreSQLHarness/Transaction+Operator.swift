package import Database

/// SQL that operators write for their engine, and reads for tests of both engines.
extension Transaction {
    /// Makes a trigger of the operator that refuses an event.
    ///
    /// - Parameters:
    ///   - event: the event to refuse, such as `DELETE ON users`.
    ///   - condition: the rows to refuse, by `old` and `new`; `nil` for all.
    ///   - name: its name.
    ///   - isRollingBack: whether it rolls back the whole transaction at once, which only SQLite supports.
    package func refuse(
        _ event: SQL,
        when condition: SQL? = nil,
        named name: String = "refusal",
        isRollingBack: Bool = false
    ) throws {
        let condition: SQL = condition.map { "WHEN (\($0))" } ?? ""
        switch dialect {
        case .sqlite:
            let manner: SQL = isRollingBack ? "ROLLBACK" : "ABORT"
            try execute(
                """
                CREATE TRIGGER \(identifier: name) BEFORE \(event) \(condition)
                BEGIN SELECT RAISE(\(manner), 'not allowed'); END
                """
            )
        case .postgreSQL:
            try execute(
                """
                CREATE FUNCTION \(identifier: name)() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN RAISE EXCEPTION ''not allowed''; END'
                """
            )
            try execute(
                """
                CREATE TRIGGER \(identifier: name) BEFORE \(event) FOR EACH ROW \(condition)
                EXECUTE FUNCTION \(identifier: name)()
                """
            )
        }
    }

    /// Returns the names of all tables, including the operator's.
    package func tables() throws -> [String] {
        switch dialect {
        case .sqlite: try all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") { try $0.text(0) }
        case .postgreSQL:
            try all(
                "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
            ) { try $0.text(0) }
        }
    }

    /// Returns the content of the database except for some tables, one line for each row.
    package func dump(without ignored: Set<String> = []) throws -> [String] {
        try tables().filter { !ignored.contains($0) }.flatMap { table in
            try contents(of: table).map { "\(table)\($0)" }
        }
    }

    /// Returns the rows of a table, one line each, which begins with `|`.
    package func contents(of table: String) throws -> [String] {
        switch dialect {
        case .sqlite:
            var values: SQL = "''"
            for column in try all("SELECT name FROM pragma_table_info(\(table))", { try $0.text(0) }) {
                values += " || '|' || quote(\(identifier: column))"
            }
            return try all("SELECT \(values) FROM \(identifier: table) ORDER BY 1") { try $0.text(0) }
        case .postgreSQL:
            return try all("SELECT '|' || CAST(line AS TEXT) FROM \(identifier: table) line ORDER BY 1") {
                try $0.text(0)
            }
        }
    }
}
