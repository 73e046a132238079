package import Database

extension Migration {
    /// Returns the migrations that are embedded in the binary, in ascending order of their numbers.
    ///
    /// They are the files `Migrations/NNNN_name.sql`, read once per process.
    ///
    /// - Throws: ``DatabaseError`` of kind `schema` for a file name in another form.
    package static func embedded() throws(DatabaseError) -> [Migration] { try read.get() }

    private static let read = Result { () throws(DatabaseError) in
        try EmbeddedSQL.files(in: "Migrations")
            .map { file throws(DatabaseError) in try Migration(fileName: file.name, sql: file.sql) }
            .sorted { $0.number < $1.number }
    }

    /// What all embedded migrations together make, as a script for a new SQLite file; `nil` if the binary lacks it.
    ///
    /// It is the file `Schema/sqlite.sql`, which `make schema` writes.
    package static var embeddedLatestSchema: String? { EmbeddedSQL.files(in: "Schema").first?.sql }

    /// Creates a migration from its file: reads number and name from the file name.
    ///
    /// - Parameters:
    ///   - fileName: the file's name without its folder, such as `0001_users.sql`.
    ///   - sql: the content of the file.
    /// - Throws: ``DatabaseError`` of kind `schema` for a name in another form.
    init(fileName: Substring, sql: String) throws(DatabaseError) {
        let stem = fileName.dropLast(".sql".count)
        guard let line = stem.firstIndex(of: "_"), let number = Int(stem[..<line]), stem[..<line].count == 4 else {
            throw DatabaseError(.schema, message: "\(fileName) is not NNNN_name.sql")
        }
        self.init(number: number, name: String(stem[stem.index(after: line)...]), sql: sql)
    }
}
