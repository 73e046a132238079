package import Accounts
package import Database

extension Transaction {
    package func consoleSession(_ id: String) throws -> ConsoleSession? {
        try first(
            "SELECT name, opened_at, created_at, expires_at FROM console_sessions WHERE session = \(id)"
        ) { row in
            ConsoleSession(
                id: id,
                name: try row.text(0),
                openedAt: try row.optionalInteger(1),
                createdAt: try row.integer(2),
                expiresAt: try row.integer(3)
            )
        }
    }

    package func insert(_ session: ConsoleSession) throws {
        try enqueue(
            """
            INSERT INTO console_sessions (session, name, opened_at, created_at, expires_at)
            VALUES (\(session.id), \(session.name), \(session.openedAt), \(session.createdAt), \(session.expiresAt))
            """
        )
    }

    package func extendConsoleSession(_ id: String, to expiresAt: Int64) throws {
        try enqueue("UPDATE console_sessions SET expires_at = \(expiresAt) WHERE session = \(id)")
    }

    @discardableResult
    package func deleteConsoleSession(_ id: String) throws -> Bool {
        try execute("DELETE FROM console_sessions WHERE session = \(id)") > 0
    }
}
