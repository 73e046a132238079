package import Database
internal import Resources

extension Migration {
    private static let folder = "Sources/AccountDatabase/Migrations/"

    /// Returns the migrations that are embedded in the binary, in ascending order of their numbers.
    ///
    /// They are the files `Migrations/NNNN_name.sql`, read once per process.
    ///
    /// - Throws: ``DatabaseError`` of kind `schema` for a file name in another form.
    package static func embedded() throws(DatabaseError) -> [Migration] { try read.get() }

    private static let read = Result { () throws(DatabaseError) in try readAll() }

    private static func readAll() throws(DatabaseError) -> [Migration] {
        var count = 0
        var migrations: [Migration] = []
        guard let files = unsafe latchkey_resources(&count) else { return [] }
        for index in 0..<count {
            let file = unsafe files[index]
            let path = unsafe String(cString: file.path)
            guard path.hasPrefix(folder), path.hasSuffix(".sql") else { continue }
            let sql = unsafe String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
            migrations.append(try Migration(fileName: path.dropFirst(folder.count), sql: sql))
        }
        return migrations.sorted { $0.number < $1.number }
    }

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
