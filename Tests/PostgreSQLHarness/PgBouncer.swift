internal import Foundation
internal import ProcessHarness

/// A pgbouncer in transaction mode in front of the shared server, on a socket next to the server's.
package final class PgBouncer: Sendable {
    /// The pooler of this test run, started on first use.
    package static let shared = Result { try PgBouncer(PostgreSQLServer.shared.get()) }

    /// Whether the servers of this run use it: `LATCHKEY_TEST_POOLER=pgbouncer`.
    package static let isInUse = ProcessInfo.processInfo.environment["LATCHKEY_TEST_POOLER"] == "pgbouncer"

    private static let port = 6432
    /// The pooler ends when this pipe does: at the end of the tests, however they end.
    ///
    /// A weaker signal than the one it gets may be blocked in processes that tests start.
    private let life = Pipe()

    private init(_ server: PostgreSQLServer) throws {
        let file = "\(server.folder)/pgbouncer.ini", users = "\(server.folder)/pgbouncer-users"
        try #""latchkey" """#.write(toFile: users, atomically: true, encoding: .utf8)
        try """
        [databases]
        * = host=\(server.folder) port=5432
        [pgbouncer]
        listen_addr =
        unix_socket_dir = \(server.folder)
        listen_port = \(Self.port)
        logfile = \(server.folder)/pgbouncer.log
        auth_type = trust
        auth_file = \(users)
        pool_mode = transaction
        max_client_conn = 2000
        default_pool_size = 4
        max_user_connections = 150
        server_idle_timeout = 2
        server_login_retry = 1
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let process = PostgreSQLServer.process([
            "sh", "-c", #"/usr/sbin/pgbouncer -q "$0" & read -r _; kill -9 $!"#, file,
        ])
        process.standardInput = life
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.start()
        let deadline = ContinuousClock.now + .seconds(20)
        while !FileManager.default.fileExists(atPath: "\(server.folder)/.s.PGSQL.\(Self.port)") {
            guard ContinuousClock.now < deadline, process.isRunning else {
                throw PostgreSQLServer.Failed(description: "pgbouncer does not start; see pgbouncer.log")
            }
            usleep(10_000)
        }
    }

    /// Returns the URL of a database through the pooler.
    package func url(to database: String) -> String { database.replacing(":5432/", with: ":\(Self.port)/") }
}

extension TestDatabase {
    /// The server's environment for this database, which may lead through a pooler.
    package var settings: [String: String] {
        get throws {
            guard PgBouncer.isInUse, !url.hasPrefix("sqlite:") else { return ["LATCHKEY_DATABASE": url] }
            return ["LATCHKEY_DATABASE": try PgBouncer.shared.get().url(to: url) + "?prepare=off"]
        }
    }
}
