import Database
import PostgreSQLHarness
import Testing

@Suite("PostgreSQL URLs", .enabled(if: TestDatabase.isEnginesTurn))
struct URLTests {
    @Test(arguments: [
        "postgresql://", "postgresql://h", "postgres://u@h/db",
        "postgresql://u:p%40ss%2Fw%25@h:5432/db?sslmode=verify-full",
        "postgresql:///db?host=/run/postgresql&port=5433",
        "postgresql://u:p@a:5432,b:5433/db?target_session_attrs=read-write",
        "postgresql://u:p@[::1]:5432/db", "postgresql://u:wh?t@h/db",
    ])
    func `a sound one is taken`(url: String) {
        #expect(PostgreSQLURL.flaw(in: url) == nil)
    }

    /// For each URL, libpq or the server would quote a part of the password, `se…cret`.
    @Test(arguments: [
        "postgresql://u:se%cret@h/db", "postgresql://u:se%zzcret@h/db", "postgresql://u:se/cret@h/db",
        "postgresql://u:12/cret@h/db", "postgresql://u:se@cret@h/db", "postgresql://u:secret",
        "postgresql://u:se cret@h:x/db",
        "postgresql://u:secret@h:5432x/db", "postgresql://u:secret@h:70000/db",
        "postgresql://u:secret@h/db?pass=secret",
        "postgresql://u:secret@[::1/db", "postgresql://u:secret@h/db?sslmode",
    ])
    func `one that libpq would read otherwise is refused without a word of it`(url: String) throws {
        let flaw = try #require(PostgreSQLURL.flaw(in: url))
        #expect(!flaw.contains("cret") && !flaw.contains("se%"))
    }
}
