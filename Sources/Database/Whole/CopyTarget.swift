/// Where a copy goes: what is put there is seen by nobody before the commit, and gone where there is none.
protocol CopyTarget: AnyObject {
    /// Has an empty schema of all steps there, and nobody else in it.
    ///
    /// - Throws: `misuse` where there is something that may not go, or where the target is the source.
    func prepare(_ migrations: [Migration], source: DatabaseSnapshot) throws
    /// Begins to fill a table.
    func begin(_ table: CopiedTable) throws
    /// Puts rows into it.
    func put(_ lines: RowLines) throws
    /// Ends what was begun.
    func end(_ table: CopiedTable) throws
    /// Reads a table back.
    func read(_ table: CopiedTable, _ take: (RowLines) throws -> Void) throws
    /// Lets everybody see what is there, durably.
    func commit() throws
    /// Takes back what is not committed.
    func abandon()
}

extension DatabaseError {
    /// Rows of the source refer to what is not there.
    static func damagedSource(_ words: String) -> DatabaseError {
        DatabaseError(
            .corrupt,
            message:
                "the source holds what it must not, so it is not copied: \(words). latchkey database check lists it all"
        )
    }

    /// There is something where the copy is to go.
    static func occupied(_ what: String) -> DatabaseError { DatabaseError(.misuse, message: what) }

    /// The tables of the operator's that are in the way of replacing everything.
    static func occupied(by tables: [String]) -> DatabaseError {
        .occupied(
            "the target has tables of yours, which replacing it would touch: \(tables.joined(separator: ", ")). Move them away "
                + "first"
        )
    }
}

extension Transaction {
    /// The operator's own tables, by name, virtual ones and views among them.
    func operatorsTables() throws -> [String] {
        let names = try schemaContents(attached: []).values.flatMap { content in
            // What a virtual table keeps its rows in has no name of its own.
            content.tables.values.map(\.name.text) + content.others.filter { $0.value != "shadow" }.keys
        }
        // One that is called by two names is there twice.
        return Set(names).sorted()
    }
}
