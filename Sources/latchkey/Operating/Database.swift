extension Command {
    /// `latchkey database`.
    ///
    /// - Parameter check: Looks for what must not be.
    /// - Returns: The group of commands.
    static func database(check: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "database",
            summary: "Check the database as a whole",
            content: .commands([checkDatabase(check)])
        )
    }

    private static func checkDatabase(_ body: @escaping OperatorBody<Void>) -> Command {
        Command(
            name: "check",
            summary: "Look for what no database may hold",
            discussion: """
                Each UID that ever was belongs to a user, was merged into another, or was deleted; everything that \
                belongs to somebody has an owner; references lead somewhere, and sums are right. Whatever is not so is \
                listed, and the status is 1: 0 says that nothing is wrong, 3 that the database cannot be reached.

                It reads every table of Latchkey's as it is at one moment, changes nothing, and may run beside servers. \
                It needs no secret.
                """,
            options: Option.operating + [.json],
            examples: ["latchkey database check --database sqlite:/var/lib/latchkey/latchkey.db"],
            content: .body { invocation in
                try await body((), OperatorContext(invocation))
            }
        )
    }
}
