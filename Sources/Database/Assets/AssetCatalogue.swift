/// A column of the operator's that says whose a row is.
struct Asset: Sendable {
    /// What it holds.
    enum Key: String, Sendable {
        case uid, id
    }

    let table: TableName
    let column: String
    let key: Key
    let policy: AssetPolicy
    /// What a foreign key of its own to `users` does when the user is deleted; `nil` where there is none.
    let onDelete: String?
    /// The table whose rows it follows, where it has no foreign key of its own.
    let through: String?
}

/// A table that a merge cannot settle, and why.
struct AssetProblem: Sendable {
    let table: String
    let reason: String
    /// Whether no merge may happen while it lasts.
    let isBlocking: Bool
}

/// The operator's tables that belong to users.
struct AssetCatalogue: Sendable {
    /// A way on which the deletion of a user reaches a table.
    struct Reach: Sendable {
        /// From `users` outwards, each key's child being the next one's parent.
        let path: [ForeignKey]
        /// The children as statements name them, and by what their columns are compared.
        let children: [TableSchema]
        let mayForbid: Bool
    }

    private(set) var tables: [TableName: TableSchema] = [:]
    private(set) var assets: [Asset] = []
    private(set) var problems: [AssetProblem] = []
    /// Where the deletion of a user leads, the nearest first.
    private(set) var reaches: [Reach] = []
    /// Tables that refer to ours other than `users`.
    private(set) var outsiders: [String] = []
    private let settings: AssetSettings
    /// The tables that the operator names, with what they say of them.
    private var named: [TableName: AssetPolicy?] = [:]

    /// Reads the catalogue.
    ///
    /// - Parameters:
    ///   - settings: what the operator declared.
    ///   - attached: the attached files that can be read now; `nil` to leave all of them out.
    ///   - transaction: where.
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
                let reason = "it refers to \(key.parent.name), not to users; a merge does not look at that"
                problems.append(AssetProblem(table: key.child.name, reason: reason, isBlocking: false))
            }
        }
        findReaches()
        findObstacles()
    }

    /// The policy of a table.
    func policy(_ table: TableName) -> AssetPolicy {
        (named[table] ?? nil) ?? settings.policy
    }

    /// What a name in the settings means: in PostgreSQL a table of another schema is called `schema.table`.
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

    /// The columns that refer to `users` themselves.
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
        if let other = found?.other { return refuse("it is no plain table (\(other)); name the tables behind it") }
        guard let table = found?.table else { return refuse("there is no such table") }
        guard let column = table.column(declared.column) else { return refuse("it has no column \(declared.column)") }
        if let type = column.foreignType {
            return refuse("\(column.name) is of the type \(type), which cannot hold UIDs; make it TEXT")
        }
        add(table.name, column.name, .uid)
    }

    /// The columns that refer to what was found, and so hold UIDs too.
    private mutating func followReferences() {
        var index = 0
        while index < assets.count {
            let asset = assets[index]
            for key in tables[asset.table]?.incoming ?? [] {
                for pair in key.pairs where pair.parent == asset.column {
                    add(key.child, pair.column, asset.key, through: asset.table.text)
                }
            }
            // A key of PostgreSQL's says nothing of tables that inherit, but their rows are of the same kind.
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

    /// The tables that a merge may have to change and cannot.
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
            if that is meant, or make Latchkey's role its owner
            """
    }
}

/// The catalogue of one connection, and the schema that it was read from.
final class AssetCache {
    let settings: AssetSettings
    private var known: (version: Int64, catalogue: AssetCatalogue)?

    init(_ settings: AssetSettings) {
        self.settings = settings
    }

    /// The catalogue of the database itself as it is now: read anew whenever the schema has changed.
    func catalogue(_ transaction: Transaction) throws -> AssetCatalogue {
        let version = try transaction.schemaVersion()
        if let known, known.version == version { return known.catalogue }
        let catalogue = try AssetCatalogue(settings, attached: nil, in: transaction)
        known = (version, catalogue)
        return catalogue
    }
}
