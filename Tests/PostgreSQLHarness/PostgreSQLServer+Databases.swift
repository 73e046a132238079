internal import Database
internal import Dispatch
internal import Synchronization

extension PostgreSQLServer {
    /// A fresh database: its URL.
    ///
    /// - Parameter isMigrated: whether it has the product's schema already, as it takes longer to make it than to copy it.
    package func makeDatabase(isMigrated: Bool = false) throws -> String {
        let template = isMigrated ? try migratedTemplate() : "template0"
        let name = "test_\(databases.add(1, ordering: .relaxed).newValue)"
        try make(name, from: template)
        return url(of: name)
    }

    /// Removes a database, whoever is still connected to it; soon.
    package func removeDatabase(_ url: String) {
        guard let name = url.split(separator: "/").last else { return }
        removals.async { [self] in
            // One that stays goes with the server.
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
