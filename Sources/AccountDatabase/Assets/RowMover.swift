internal import Accounts
internal import Database

/// Moves the rows of the operator's tables that belong to one user to another user.
///
/// Users and rows with referenced keys are handled alike: rows that refer to the old key must refer to the new one. If
/// that would break a unique constraint of the referring table, its row is merged into the existing row in the same
/// way: all rows that refer to it are redirected, then it is deleted. A change thus passes through all connected
/// tables, from the outermost inwards, and no foreign key action ever finds anything to delete.
final class RowMover {
    /// The columns of a table that a change alters together.
    private struct Place: Hashable {
        let table: TableName
        let columns: [String]
    }

    /// The change of a place from its old values.
    private struct Step: Hashable {
        let place: Place
        let old: [SQLValue]
    }

    /// How a change is made.
    private enum Way {
        /// By a statement of its own.
        case alone
        /// In the statement that changes the referenced row, because its foreign key is neither deferrable nor
        /// cascading.
        case together
        /// By the `ON UPDATE` action of its foreign key.
        case following
    }

    /// A change of referring rows that is made together with the change of the rows that they refer to.
    private struct Rider {
        let step: Step
        let change: Change
        let table: TableSchema
        let way: Way
    }

    /// The number of changes in progress at which a merge is given up.
    ///
    /// No schema in use comes near this number.
    private static let deepest = 200

    let catalogue: AssetCatalogue
    let transaction: Transaction
    /// The changes in progress.
    private var underWay: Set<Step> = []
    private var places: [Place] = []
    /// The number of moved rows.
    private var moved: [Place: Int] = [:]
    /// The number of rows that were deleted because of conflicts.
    private var dropped: [Place: Int] = [:]
    /// By table, the columns whose rows ``count(_:of:)`` counted, each with the old owner's key.
    private var owners: [TableName: [(column: String, old: SQLValue)]] = [:]

    init(_ catalogue: AssetCatalogue, in transaction: Transaction) {
        self.catalogue = catalogue
        self.transaction = transaction
    }

    /// The moves so far, in the order in which tables were reached.
    var moves: [RowMove] {
        places.map { place in
            RowMove(
                table: place.table.text,
                column: place.columns.joined(separator: ", "),
                moved: Int64(moved[place] ?? 0),
                dropped: Int64(dropped[place] ?? 0)
            )
        }
    }

    // MARK: Users

    /// Counts the rows in which one of the operator's columns holds a user's key, before any row is moved.
    ///
    /// They cannot be counted while they move, because foreign keys and triggers may move them too. A generated column
    /// is not counted.
    func count(_ asset: Asset, of old: SQLValue) throws {
        guard let table = catalogue.tables[asset.table], table.column(asset.column)?.isGenerated == false else {
            return
        }
        let own = change(asset, of: table, old, .null)
        let count = try blaming(table) {
            try transaction.first("SELECT count(*) FROM \(table.sql) AS g WHERE \(own.matches("g"))") { row in
                Int(try row.integer(0))
            }
        }
        guard let count, count > 0 else { return }
        let place = Place(table: table.name, columns: [asset.column])
        if moved[place] == nil { places.append(place) }
        moved[place, default: 0] += count
        owners[table.name, default: []].append((asset.column, old))
    }

    /// Replaces a user's key in one of the operator's columns by another user's, in all rows.
    ///
    /// - Throws: ``MergeBlocked`` if a table does not allow it.
    func move(_ asset: Asset, from old: SQLValue, to new: SQLValue) throws {
        // A generated column follows its source columns. A check at the end verifies that it did.
        guard let table = catalogue.tables[asset.table], table.column(asset.column)?.isGenerated == false else {
            return
        }
        try apply(change(asset, of: table, old, new), to: table)
    }

    /// Checks, after all moves, that no row in one of the operator's columns holds the guest's key any more.
    ///
    /// - Throws: ``MergeBlocked`` if a row still does, for example because a trigger kept it.
    func checkNothing(isLeftOf old: SQLValue, in asset: Asset) throws {
        guard let table = catalogue.tables[asset.table] else { return }
        if try blaming(table, { try has(change(asset, of: table, old, .null), in: table) }) {
            throw blocked(table, "rows of the guest stay in \(asset.column)")
        }
    }

    /// Checks, after all moves, the constraints that the engine would otherwise check at the commit.
    ///
    /// - Throws: ``MergeBlocked`` if a foreign key or another deferred constraint is violated.
    func checkConstraints() throws {
        guard let error = try transaction.unresolvedConstraint() else { return }
        let names = catalogue.tables.values.map(\.name).sorted { $0.text < $1.text }
        if let broken = try transaction.brokenReference(among: names) {
            throw MergeBlocked(
                table: broken.child.text,
                reason: "a row would have a dangling reference to \(broken.parent)"
            )
        }
        throw MergeBlocked(table: error.table ?? "unknown", reason: error.message)
    }

    private func change(_ asset: Asset, of table: TableSchema, _ old: SQLValue, _ new: SQLValue) -> Change {
        let part = Change.Part(
            column: asset.column,
            collation: transaction.dialect.binaryCollation,
            old: old,
            new: new,
            isExact: table.column(asset.column)?.isLoose == true
        )
        return Change(parts: [part])
    }

    // MARK: Changes

    /// Makes a change in a table and in all rows that refer to the changed values.
    ///
    /// Does nothing if no row matches, or if the same change is already in progress.
    ///
    /// - Throws: ``MergeBlocked`` if a table does not allow it.
    func apply(_ change: Change, to table: TableSchema) throws {
        _ = try apply(change, to: table, .alone)
    }

    /// Makes a change in a table, or prepares it if it must be made together with another.
    ///
    /// - Returns: the changes that must be made together with the change of the referenced rows; none if `way` is
    ///   `alone`.
    private func apply(_ change: Change, to table: TableSchema, _ way: Way) throws -> [Rider] {
        let place = Place(table: table.name, columns: change.columns)
        let step = Step(place: place, old: change.parts.map(\.old))
        guard underWay.insert(step).inserted else { return [] }
        var isPending = false
        defer { if !isPending { underWay.remove(step) } }
        guard underWay.count < Self.deepest else { throw blocked(table, "the chain of references is too long") }
        guard try blaming(table, { try has(change, in: table) }) else { return [] }
        guard change.columns.allSatisfy({ table.column($0)?.isGenerated == false }) else {
            throw blocked(table, "\(change.columns.joined(separator: ", ")) is generated")
        }
        if moved[place] == nil {
            places.append(place)
            moved[place] = 0
        }
        for index in table.uniqueIndexes where index.isExact {
            guard index.parts.contains(where: { change.part($0.column) != nil }) else { continue }
            dropped[place, default: 0] += try resolve(index, change, table)
        }
        let riders = try takeAlong(change, table)
        try blaming(table) { try count(change, table, place) }
        guard way == .alone else {
            isPending = true
            return riders + [Rider(step: step, change: change, table: table, way: way)]
        }
        try update(change, table, place, with: riders)
        for rider in riders { underWay.remove(rider.step) }
        return []
    }

    /// Changes the rows that refer to the columns to be changed, before a foreign key action does.
    ///
    /// - Returns: the changes that can only be made together with the change of the referenced rows.
    private func takeAlong(_ change: Change, _ table: TableSchema) throws -> [Rider] {
        var riders: [Rider] = []
        for key in table.incoming {
            guard let child = catalogue.tables[key.child] else { continue }
            let parts = change.parts.compactMap { part in
                key.pairs.first { $0.parent == part.column }.map { pair in
                    Change.Part(
                        column: pair.column,
                        collation: collation(of: part.column, among: key.pairs.map(\.parent), table),
                        old: part.old,
                        new: part.new
                    )
                }
            }
            // A key that overlaps only in part is left to its own ON UPDATE action and to the final check.
            guard parts.count == change.parts.count, child.name != table.name || parts.map(\.column) != change.columns
            else { continue }
            // A column generated from the changing columns follows by itself.
            if parts.allSatisfy({ child.column($0.column)?.isGenerated == true }) { continue }
            let inner = Change(parts: parts)
            switch key.timing {
            case .deferrable: try apply(inner, to: child)
            case .cascading: riders += try apply(inner, to: child, .following)
            case .immediate: riders += try apply(inner, to: child, .together)
            }
        }
        return riders
    }

    /// Whether an outer call of ``apply(_:to:)``, which calls itself for referring tables, is still changing the table.
    ///
    /// Some of the table's rows may then still have their old values.
    func isUnderWay(in table: TableName) -> Bool { underWay.contains { $0.place.table == table } }

    /// Whether ``count(_:of:)`` has already counted the rows of this place.
    private func isCounted(_ place: Place) -> Bool {
        owners[place.table]?.contains { [$0.column] == place.columns } == true
    }

    private func count(_ change: Change, _ table: TableSchema, _ place: Place) throws {
        guard !isCounted(place) else { return }
        let rows: SQL = "SELECT count(*) FROM \(table.sql) AS g WHERE \(change.matches("g"))"
        moved[place, default: 0] += try transaction.first(rows) { row in Int(try row.integer(0)) } ?? 0
    }

    private func update(_ change: Change, _ table: TableSchema, _ place: Place, with riders: [Rider]) throws {
        let others = riders.filter { $0.way == .together }
        // One statement cannot change a row twice.
        var changing: Set<TableName> = [table.name]
        for other in others where !changing.insert(other.table.name).inserted {
            throw blocked(
                other.table,
                "its foreign key can neither wait nor follow; make it DEFERRABLE, or ON UPDATE CASCADE"
            )
        }
        let with: SQL =
            others.isEmpty
            ? ""
            : "WITH "
                + SQL.joined(Array(others.enumerated()), by: ", ") { number, other in
                    "\(identifier: "other\(number)") AS (\(statement(other.change, other.table)))"
                } + " "
        try blaming(table) {
            // A row-by-row update cannot include changes to other tables.
            let indexes = others.isEmpty ? table.uniqueIndexes.filter { !$0.isExact } : []
            guard try attempt(with + statement(change, table), table, indexes) != nil else { return }
            let count = try updateEach(change, table, indexes)
            dropped[place, default: 0] += count
            if !isCounted(place) { moved[place, default: 0] -= count }
        }
    }

    private func statement(_ change: Change, _ table: TableSchema) -> SQL {
        "\(update(table)) AS g SET \(Self.assignments(change)) WHERE \(change.matches("g"))"
    }

    /// Deletes the rows of a table that meet a condition, and subtracts them from the counted rows of their owner.
    ///
    /// - Returns: the number of deleted rows.
    func delete(_ condition: SQL, _ table: TableSchema) throws -> Int {
        for owner in owners[table.name] ?? [] {
            let lost = try transaction.first(
                """
                SELECT count(*) FROM \(table.sql) AS g
                WHERE g.\(identifier: owner.column)\(collation: transaction.dialect.binaryCollation) = \(owner.old) AND \(condition)
                """
            ) { row in Int(try row.integer(0)) }
            moved[Place(table: table.name, columns: [owner.column]), default: 0] -= lost ?? 0
        }
        return try transaction.execute("DELETE FROM \(table.sql) AS g WHERE \(condition)")
    }

    /// Returns the beginning of an UPDATE that stops at a conflicting row.
    ///
    /// Under ON CONFLICT REPLACE, SQLite would silently delete that row with everything that depends on it.
    ///
    /// In the table's triggers, OR ABORT would override their own conflict clauses. It is therefore omitted if there
    /// are triggers, unless a constraint cannot be resolved beforehand. Only a table's own constraints can say REPLACE,
    /// not a separate index.
    func update(_ table: TableSchema) -> SQL {
        let isUnsettled = table.uniqueIndexes.contains { !$0.isExact && $0.name.hasPrefix("sqlite_autoindex_") }
        return table.hasTriggers && !isUnsettled
            ? "UPDATE \(table.sql)"
            : "\(transaction.dialect.updateOrAbort) \(table.sql)"
    }

    static func assignments(_ change: Change) -> SQL {
        SQL.joined(change.parts, by: ", ") { "\(identifier: $0.column) = \($0.new)" }
    }

    func collation(of column: String, among key: [String], _ table: TableSchema) -> String? {
        table.collation(of: column, among: key, standard: transaction.dialect.binaryCollation)
    }

    // MARK: Errors

    /// Runs a closure, and turns a database error that the schema causes, such as a violated constraint, into
    /// ``MergeBlocked`` with the table's name.
    ///
    /// Other errors, such as a full disk, pass unchanged.
    func blaming<Result>(_ table: TableSchema, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError where error.kind.isOfTheSchema {
            throw blocked(table, error.message)
        }
    }

    /// Makes the error of a merge that this table does not allow; `reason` is for the log and for administrators.
    func blocked(_ table: TableSchema, _ reason: String) -> MergeBlocked {
        MergeBlocked(table: table.name.text, reason: reason)
    }
}
