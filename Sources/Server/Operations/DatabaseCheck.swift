internal import Database

/// What `latchkey database check` found.
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

/// Looking through a whole database.
package enum DatabaseCheck {
    /// Looks for what must not be in the database of a configuration, on one snapshot of it, whether or not servers run.
    ///
    /// Neither migrates nor changes anything, and needs no secret.
    ///
    /// - Parameters:
    ///   - file: the configuration file, or `nil`.
    ///   - environment: all environment variables.
    ///   - progress: told what is looked for next.
    /// - Throws: ``ConfigurationError``, or what keeps the database from being read.
    package static func run(
        file: String?,
        environment: [String: String],
        progress: (String) -> Void
    ) throws -> DatabaseCheckReport {
        let configuration = try Configuration.load(file: file, environment: environment)
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
