extension Command {
    /// `latchkey assets`.
    ///
    /// - Parameter scan: Shows the operator's own tables.
    /// - Returns: The group of commands.
    static func assets(scan: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "assets",
            summary: "Show which tables of yours follow a merge",
            content: .commands([scanAssets(scan)])
        )
    }

    private static func scanAssets(_ body: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "scan",
            summary: "List your tables that belong to users, and what hinders",
            discussion: """
                Every table in the database with a foreign key to users follows when a guest is merged into an \
                account, and so do the tables that sqlAssets.tables names. Rows are counted up to a million.
                """,
            options: Option.operating + [.json],
            content: .body { invocation in
                try await body((), OperatorContext(invocation))
            }
        )
    }
}
