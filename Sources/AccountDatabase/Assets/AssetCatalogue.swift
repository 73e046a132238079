internal import Database

/// A column in one of the operator's tables that identifies the user a row belongs to.
struct Asset: Sendable {
    /// The column of `users` whose values the asset's column holds.
    enum Key: String, Sendable {
        case uid, id
    }

    let table: TableName
    let column: String
    let key: Key
    let policy: AssetPolicy
    /// The `ON DELETE` action of the column's own foreign key to `users`; `nil` without such a key.
    let onDelete: String?
    /// The name of the table through which the column was found: its foreign key refers to that table, or it inherits
    /// from that table.
    ///
    /// `nil` if the column refers to `users` itself or was declared by the operator.
    let through: String?
}

/// A reason why a merge cannot handle one of the operator's tables, or part of it.
struct AssetProblem: Sendable {
    let table: String
    let reason: String
    /// Whether the problem makes every merge fail; otherwise merges leave the reference alone.
    let isBlocking: Bool
}

/// The operator's tables as merges and deletions of users see them: which columns identify a user, which foreign keys
/// lead to `users`, and what stands in the way.
struct AssetCatalogue: Sendable {
    /// A chain of foreign keys through which the deletion of a user reaches a table: the last key's child.
    struct Reach: Sendable {
        /// The foreign keys from `users` outwards.
        ///
        /// The child of each is the parent of the next.
        let path: [ForeignKey]
        /// The referring tables of ``path``, one for each key in the same order.
        let children: [TableSchema]
        /// Whether the last foreign key may forbid the deletion, as in ``ForeignKey/mayForbid(in:)``.
        let mayForbid: Bool
    }

    private(set) var tables: [TableName: TableSchema] = [:]
    private(set) var assets: [Asset] = []
    private(set) var problems: [AssetProblem] = []
    /// The chains of foreign keys by which the deletion of a user reaches the operator's tables, shortest first.
    private(set) var reaches: [Reach] = []
    /// The names of the operator's tables that refer to Latchkey's tables other than `users`.
    private(set) var outsiders: [String] = []
    private let settings: AssetSettings
    /// The tables that the operator declared, with their policies; a `nil` policy stands for the default one.
    private var named: [TableName: AssetPolicy?] = [:]

    /// Reads the schema, and builds the catalogue from it.
    ///
    /// - Parameters:
    ///   - settings: the operator's declarations.
    ///   - attached: the names of the attached files that are readable now; `nil` leaves out all attached files.
    ///   - transaction: the transaction to read in.
    init(_ settings: AssetSettings, attached: [String]?, in transaction: Transaction) throws {
        self.settings = settings
        let contents = try transaction.schemaContents(attached: attached ?? [])
        for table in contents.values.flatMap(\.tables.values) { tables[table.name] = table }
        let declared = settings.tables.filter { $0.attached == nil || attached != nil }
        for declared in declared {
            guard let table = find(declared, contents)?.table else { continue }
            named[table.name] = (named[table.name] ?? nil) ?? declared.policy
        }
        findReferences()
        for declared in declared { add(declared, contents) }
        followReferences()
        if let main = contents[TableName.main] {
            outsiders = Set(main.foreign.map(\.child.name)).sorted()
            for key in main.foreign {
                let reason = "it refers to \(key.parent.name), not to users; a merge ignores this"
                problems.append(AssetProblem(table: key.child.name, reason: reason, isBlocking: false))
            }
        }
        findReaches()
        findObstacles()
    }

    /// Returns the policy that the operator declared for a table; the default policy if there is none.
    func policy(_ table: TableName) -> AssetPolicy {
        (named[table] ?? nil) ?? settings.policy
    }

    /// Finds a table that the settings name.
    ///
    /// In PostgreSQL, `schema.table` names a table of another schema.
    ///
    /// - Returns: the table, or the kind of an object that is no plain table; `nil` if there is neither.
    private func find(
        _ declared: AssetSettings.Table,
        _ contents: [String: SchemaContent]
    ) -> (table: TableSchema?, other: String?)? {
        let content = contents[declared.attached ?? TableName.main]
        if let found = content?.find(declared.table) { return found }
        guard declared.attached == nil, let dot = declared.table.firstIndex(of: ".") else { return nil }
        let schema = String(declared.table[..<dot])
        return contents[schema]?.find(String(declared.table[declared.table.index(after: dot)...]))
    }

    private var sortedTables: [TableSchema] { tables.values.sorted { $0.name.text < $1.name.text } }

    /// Finds the columns that refer to `users` directly.
    private mutating func findReferences() {
        for table in sortedTables {
            for key in table.foreignKeys where key.parent == SchemaContent.users {
                for pair in key.pairs {
                    guard let kind = Asset.Key(rawValue: pair.parent) else {
                        let reason = "\(pair.column) refers to users.\(pair.parent); only uid and id can follow a merge"
                        problems.append(AssetProblem(table: table.name.text, reason: reason, isBlocking: false))
                        continue
                    }
                    add(table.name, pair.column, kind, onDelete: key.onDelete)
                }
            }
        }
    }

    private mutating func add(
        _ table: TableName,
        _ column: String,
        _ key: Asset.Key,
        onDelete: String? = nil,
        through: String? = nil
    ) {
        guard !assets.contains(where: { $0.table == table && $0.column == column && $0.key == key }) else { return }
        assets.append(
            Asset(
                table: table,
                column: column,
                key: key,
                policy: policy(table),
                onDelete: onDelete,
                through: through
            )
        )
    }

    private mutating func add(_ declared: AssetSettings.Table, _ contents: [String: SchemaContent]) {
        let schema = declared.attached ?? TableName.main
        let text = TableName(schema: schema, name: declared.table).text
        func refuse(_ reason: String) {
            problems.append(AssetProblem(table: text, reason: reason, isBlocking: true))
        }
        guard contents[schema] != nil else { return refuse("its file cannot be opened") }
        let found = find(declared, contents)
        if let other = found?.other { return refuse("it is not a plain table (\(other)); name the tables behind it") }
        guard let table = found?.table else { return refuse("there is no such table") }
        guard let column = table.column(declared.column) else { return refuse("it has no column \(declared.column)") }
        if let type = column.foreignType {
            return refuse("\(column.name) is of the type \(type), which cannot hold UIDs; make it TEXT")
        }
        add(table.name, column.name, .uid)
    }

    /// Finds the columns that refer to columns found so far, and therefore hold UIDs too.
    private mutating func followReferences() {
        var index = 0
        while index < assets.count {
            let asset = assets[index]
            for key in tables[asset.table]?.incoming ?? [] {
                for pair in key.pairs where pair.parent == asset.column {
                    add(key.child, pair.column, asset.key, through: asset.table.text)
                }
            }
            // In PostgreSQL, a foreign key does not cover inheriting tables, but their rows hold the same kind of
            // value.
            for heir in tables[asset.table]?.heirs ?? [] {
                add(heir, asset.column, asset.key, through: asset.table.text)
            }
            index += 1
        }
    }

    private mutating func findReaches() {
        var seen: Set<TableName> = []
        var paths = sortedTables.flatMap(\.foreignKeys).filter { $0.parent == SchemaContent.users }.map { [$0] }
        while !paths.isEmpty {
            var further: [[ForeignKey]] = []
            for path in paths {
                guard let key = path.last, let table = tables[key.child] else { continue }
                let children = path.compactMap { tables[$0.child] }
                reaches.append(Reach(path: path, children: children, mayForbid: key.mayForbid(in: table)))
                guard key.onDelete == "CASCADE", seen.insert(table.name).inserted else { continue }
                further += table.incoming.map { path + [$0] }
            }
            paths = further
        }
    }

    /// Adds a blocking problem for each table that a merge may have to change but cannot.
    private mutating func findObstacles() {
        var reached = Set(assets.map(\.table))
        var new = reached
        while !new.isEmpty {
            new = Set(new.flatMap { tables[$0]?.incoming.map(\.child) ?? [] }).subtracting(reached)
            reached.formUnion(new)
        }
        for table in sortedTables where reached.contains(table.name) {
            if let reason = obstacle(table) {
                problems.append(AssetProblem(table: table.name.text, reason: reason, isBlocking: true))
            }
        }
    }

    private func obstacle(_ table: TableSchema) -> String? {
        guard let role = table.stranger, named[table.name] == nil else { return table.obstacle }
        return """
            it belongs to the role \(role), whose triggers would run with the rights of Latchkey's; name it in sqlAssets.tables \
            to allow this, or make Latchkey's role its owner
            """
    }
}

/// The catalogue that a connection read last, with the version of the schema at that time.
final class AssetCache {
    let settings: AssetSettings
    private var known: (version: Int64, catalogue: AssetCatalogue)?

    init(_ settings: AssetSettings) {
        self.settings = settings
    }

    /// Returns the current catalogue of the database itself, without attached files.
    ///
    /// Reads it again if the schema has changed.
    func catalogue(_ transaction: Transaction) throws -> AssetCatalogue {
        let version = try transaction.schemaVersion()
        if let known, known.version == version { return known.catalogue }
        let catalogue = try AssetCatalogue(settings, attached: nil, in: transaction)
        known = (version, catalogue)
        return catalogue
    }
}

extension Transaction {
    /// The connection's cache of ``AssetCatalogue``.
    ///
    /// If the database was opened without the operator's declarations, the cache is empty and only foreign keys are
    /// followed.
    var assets: AssetCache { context as? AssetCache ?? AssetCache(AssetSettings()) }
}
