internal import AccountDatabase
internal import Database

/// The result of `latchkey database check`.
package struct DatabaseCheckReport: Encodable, Sendable {
    package struct Table: Encodable, Sendable {
        package let name: String
        package let rows: Int64
    }

    package struct Finding: Encodable, Sendable {
        package let rule: String
        package let what: String
        package let count: Int64
        package let examples: [String]

        init(_ finding: DatabaseFinding) {
            (rule, what, count, examples) = (finding.rule, finding.what, finding.count, finding.examples)
        }
    }

    package let tables: [Table]
    package let findings: [Finding]
}

/// The integrity check of a whole database.
package enum DatabaseCheck {
    /// Checks the integrity of the configured database on one snapshot, whether or not servers run.
    ///
    /// Changes nothing, does not migrate, and needs no secret.
    ///
    /// - Parameters:
    ///   - file: the configuration file, or `nil`.
    ///   - environment: all environment variables.
    ///   - progress: called with the name of each check before it runs.
    /// - Returns: the number of rows of each table, and a finding for each check that failed.
    /// - Throws: ``ConfigurationError``, or the error that keeps the database from being read.
    package static func run(
        file: String?,
        environment: [String: String],
        progress: (String) -> Void
    ) throws -> DatabaseCheckReport {
        let configuration = try Configuration.load(file: file, environment: environment, secrets: .database)
        let snapshot = try configuration.database.snapshot()
        defer { snapshot.close() }
        let findings = try snapshot.transaction.check(progress: progress)
        return DatabaseCheckReport(
            tables: try snapshot.transaction.countRows().map { table in
                DatabaseCheckReport.Table(name: table.table, rows: table.rows)
            },
            findings: findings.map(DatabaseCheckReport.Finding.init)
        )
    }
}
