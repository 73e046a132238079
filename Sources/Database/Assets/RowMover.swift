internal import Accounts

/// Gives rows to another owner.
///
/// A user, and every row whose key others refer to, is treated alike: what refers to the old key shall refer to the new one.
/// Where that would break a unique constraint of the referring table, its row is merged into the one that is there already,
/// in the same way: what refers to it refers to the other, then it is deleted. So a change goes through all tables that hang
/// together, from the outermost inwards, and no action of a foreign key ever finds anything to delete.
final class RowMover {
    private struct Place: Hashable {
        let table: TableName
        let columns: [String]
    }

    private struct Step: Hashable {
        let place: Place
        let old: [SQLValue]
    }

    /// How a change comes about.
    private enum Way {
        /// By a statement of its own.
        case alone
        /// In the statement that changes what it refers to: its foreign key can neither wait nor follow.
        case together
        /// By its foreign key's own action.
        case following
    }

    /// A change that comes about with another.
    private struct Rider {
        let step: Step
        let change: Change
        let table: TableSchema
        let way: Way
    }

    /// Rows merged into others that were found on the way to merging others: no schema in use comes near it.
    private static let deepest = 200

    let catalogue: AssetCatalogue
    let transaction: Transaction
    private var underWay: Set<Step> = []
    private var places: [Place] = []
    private var moved: [Place: Int] = [:]
    private var dropped: [Place: Int] = [:]
    /// The columns that tell whose a row is, with the key they have now.
    private var owners: [TableName: [(column: String, old: SQLValue)]] = [:]

    init(_ catalogue: AssetCatalogue, in transaction: Transaction) {
        self.catalogue = catalogue
        self.transaction = transaction
    }

    /// What was done, in the order in which tables were come to.
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

    /// Counts the rows of a user that a column of the operator's tells, before any is moved.
    ///
    /// Foreign keys and triggers may move them too, so they cannot be counted as they go.
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

    /// Moves the rows of a user that a column of the operator's tells.
    func move(_ asset: Asset, from old: SQLValue, to new: SQLValue) throws {
        // What is generated follows what it is made from; whether it did is checked in the end.
        guard let table = catalogue.tables[asset.table], table.column(asset.column)?.isGenerated == false else {
            return
        }
        try apply(change(asset, of: table, old, new), to: table)
    }

    /// - Throws: ``MergeBlocked`` when rows of the user are still there: a trigger kept them.
    func checkNothing(isLeftOf old: SQLValue, in asset: Asset) throws {
        guard let table = catalogue.tables[asset.table] else { return }
        if try blaming(table, { try has(change(asset, of: table, old, .null), in: table) }) {
            throw blocked(table, "rows of the guest stay in \(asset.column)")
        }
    }

    /// - Throws: ``MergeBlocked`` when a foreign key, or what else was deferred, is left unsatisfied.
    func checkConstraints() throws {
        guard let error = try transaction.unresolvedConstraint() else { return }
        let names = catalogue.tables.values.map(\.name).sorted { $0.text < $1.text }
        if let broken = try transaction.brokenReference(among: names) {
            throw MergeBlocked(table: broken.child.text, reason: "a row would refer to nothing in \(broken.parent)")
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

    func apply(_ change: Change, to table: TableSchema) throws {
        _ = try apply(change, to: table, .alone)
    }

    /// - Returns: what has to come about with the change of what the table refers to.
    private func apply(_ change: Change, to table: TableSchema, _ way: Way) throws -> [Rider] {
        let place = Place(table: table.name, columns: change.columns)
        let step = Step(place: place, old: change.parts.map(\.old))
        guard underWay.insert(step).inserted else { return [] }
        var isPending = false
        defer { if !isPending { underWay.remove(step) } }
        guard underWay.count < Self.deepest else { throw blocked(table, "rows hang together too deeply") }
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
            dropped[place, default: 0] += try settle(index, change, table)
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

    /// Changes what refers to the rows by the columns that are to change, before a foreign key's action does.
    ///
    /// - Returns: what can only be changed with the rows themselves.
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
            // A key that overlaps only in part is left to its own ON UPDATE, and to the check at the end.
            guard parts.count == change.parts.count, child.name != table.name || parts.map(\.column) != change.columns
            else { continue }
            // Generated from the columns that change: it follows by itself.
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

    /// Whether a change of rows of the table is under way.
    func isUnderWay(in table: TableName) -> Bool { underWay.contains { $0.place.table == table } }

    /// The rows of users are counted already.
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
            // Row by row nothing can come along.
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

    /// Deletes rows, and takes them off what their owner had.
    ///
    /// - Returns: how many.
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

    /// The beginning of an update that stops at a row in its way, whatever the constraint says: under ON CONFLICT REPLACE that
    /// row would go, with all that hangs on it, and nobody would hear of it.
    ///
    /// In a table's triggers OR ABORT would take the place of what they say themselves. So it is left out where there are some,
    /// unless a constraint cannot be settled beforehand; of those only a table's own, and no separate index, may say REPLACE.
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

    // MARK: Blame

    /// Turns what a table refuses into an error that names it; what concerns the machine stays what it is.
    func blaming<Result>(_ table: TableSchema, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError where error.kind.isOfTheSchema {
            throw blocked(table, error.message)
        }
    }

    func blocked(_ table: TableSchema, _ reason: String) -> MergeBlocked {
        MergeBlocked(table: table.name.text, reason: reason)
    }
}
