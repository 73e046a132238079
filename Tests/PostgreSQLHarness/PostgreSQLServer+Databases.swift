internal import AccountDatabase
internal import Database
internal import Dispatch
internal import Synchronization

extension PostgreSQLServer {
    /// Makes a new database and returns its URL.
    ///
    /// - Parameter isMigrated: whether it has the product's schema already; copying the schema is faster than creating
    ///   it.
    package func makeDatabase(isMigrated: Bool = false) throws -> String {
        let template = isMigrated ? try migratedTemplate() : "template0"
        let name = "test_\(databases.add(1, ordering: .relaxed).newValue)"
        try make(name, from: template)
        return url(of: name)
    }

    /// Removes a database in the background, even if clients are still connected to it.
    package func removeDatabase(_ url: String) {
        guard let name = url.split(separator: "/").last else { return }
        removals.async { [self] in
            // A database that cannot be dropped is deleted with the server.
            try? remover.withLock { try run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", on: &$0) }
        }
    }

    private func make(_ name: String, from template: String) throws {
        try maker.withLock { try run("CREATE DATABASE \(name) TEMPLATE \(template) STRATEGY file_copy", on: &$0) }
    }

    private func migratedTemplate() throws -> String {
        try template.withLock { template in
            if let template { return template }
            let name = "migrated"
            try make(name, from: "template0")
            var configuration = PostgreSQLConfiguration(url: url(of: name))
            configuration.connections = 1
            try PostgreSQLDatabase(configuration, migrations: Migration.embedded()).close()
            template = name
            return name
        }
    }

    private func run(_ sql: String, on connection: inout Connection?) throws(Failed) {
        do throws(Failed) {
            if connection?.isUsable != true { connection = try Connection(url(of: "postgres")) }
            _ = try connection?.run(sql)
        } catch {
            // A test may have restarted the server since.
            guard connection?.isUsable == false else { throw error }
            connection = try Connection(url(of: "postgres"))
            _ = try connection?.run(sql)
        }
    }
}
