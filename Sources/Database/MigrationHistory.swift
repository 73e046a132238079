/// Compares the migrations of a program with those of a database.
struct MigrationHistory {
    /// An applied migration, as recorded in `schema_migrations`.
    struct Step: Sendable {
        let number: Int
        let name: String
        let checksum: String
    }

    /// The name of the table that records the applied migrations.
    static let table = "schema_migrations"

    private let migrations: [Migration]

    init(_ migrations: [Migration]) {
        self.migrations = migrations
    }

    /// Checks the program's own migrations.
    ///
    /// - Throws: `schema` unless they are numbered from 1 without gaps.
    func checkNumbers() throws(DatabaseError) {
        guard migrations.map(\.number) == Array(1..<(migrations.count + 1)) else {
            throw DatabaseError(.schema, message: "migrations are not numbered 1, 2, 3 …")
        }
    }

    /// Compares the applied migrations with those of the program.
    ///
    /// - Returns: the number of applied migrations.
    /// - Throws: `schema` when the database is newer, or made by other migrations.
    func check(_ recorded: [Step]) throws(DatabaseError) -> Int {
        for (index, step) in recorded.enumerated() {
            guard index < migrations.count else {
                throw DatabaseError(
                    .schema,
                    message:
                        "the schema has step \(step.number) (\(step.name)), but this program knows only \(migrations.count): "
                        + "it was made by a newer version"
                )
            }
            let known = migrations[index]
            guard step.number == known.number else {
                throw DatabaseError(.schema, message: "the schema lacks step \(known.number) (\(known.name))")
            }
            guard step.checksum == known.checksum else {
                throw DatabaseError(
                    .schema,
                    message: "step \(known.number) (\(known.name)) was altered after it was applied "
                        + "(then \(step.checksum), now \(known.checksum))"
                )
            }
        }
        return recorded.count
    }

    /// Returns the migrations recorded in a database, by number.
    ///
    /// The database must have the table ``table``.
    static func recorded(in transaction: Transaction) throws(DatabaseError) -> [Step] {
        do {
            return try transaction.all("SELECT number, name, checksum FROM schema_migrations ORDER BY number") { row in
                Step(number: Int(try row.integer(0)), name: try row.text(1), checksum: try row.text(2))
            }
        } catch {
            throw error as? DatabaseError ?? DatabaseError(.internal, message: "the schema could not be read")
        }
    }

    /// Inserts the row which records that a migration was applied, with the transaction's time.
    static func record(_ migration: Migration, in transaction: Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO schema_migrations (number, name, checksum, applied_at)
            VALUES (\(migration.number), \(migration.name), \(migration.checksum), \(transaction.now))
            """
        )
    }
}
