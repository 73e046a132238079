import PostgreSQLHarness
import Testing

extension Trait where Self == ConditionTrait {
    /// Enables a test on SQLite only.
    static var sqlite: Self { .enabled(if: TestDatabase.Engine.current == .sqlite, "about SQLite alone") }
    /// Enables a test on PostgreSQL only.
    static var postgreSQL: Self { .enabled(if: TestDatabase.Engine.current == .postgreSQL, "about PostgreSQL alone") }
}

/// Returns the text for the engine of this run.
func either(_ sqlite: String, _ postgreSQL: String) -> String {
    TestDatabase.Engine.current == .sqlite ? sqlite : postgreSQL
}
