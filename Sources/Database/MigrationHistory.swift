/// The steps that a program knows, beside those that a database has.
struct MigrationHistory {
    /// A step that was applied, as `schema_migrations` keeps it.
    struct Step: Sendable {
        let number: Int
        let name: String
        let checksum: String
    }

    private let migrations: [Migration]

    init(_ migrations: [Migration]) {
        self.migrations = migrations
    }

    /// - Throws: `schema` unless the steps are numbered from 1 without gaps.
    func checkNumbers() throws(DatabaseError) {
        guard migrations.map(\.number) == Array(1..<(migrations.count + 1)) else {
            throw DatabaseError(.schema, message: "migrations are not numbered 1, 2, 3 …")
        }
    }

    /// Compares what was applied with what the program knows.
    ///
    /// - Returns: how many steps were applied.
    /// - Throws: `schema` when the database is newer, or made by other steps.
    func check(_ recorded: [Step]) throws(DatabaseError) -> Int {
        for (index, step) in recorded.enumerated() {
            guard index < migrations.count else {
                throw DatabaseError(
                    .schema,
                    message:
                        "the schema has step \(step.number) (\(step.name)), this program knows \(migrations.count): "
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

    /// The steps that a database has.
    static func recorded(in transaction: Transaction) throws(DatabaseError) -> [Step] {
        do {
            return try transaction.all("SELECT number, name, checksum FROM schema_migrations ORDER BY number") { row in
                Step(number: Int(try row.integer(0)), name: try row.text(1), checksum: try row.text(2))
            }
        } catch {
            throw error as? DatabaseError ?? DatabaseError(.internal, message: "the schema could not be read")
        }
    }

    /// Writes down that a step was applied.
    static func record(_ migration: Migration, in transaction: Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            INSERT INTO schema_migrations (number, name, checksum, applied_at)
            VALUES (\(migration.number), \(migration.name), \(migration.checksum), \(transaction.now))
            """
        )
    }
}
