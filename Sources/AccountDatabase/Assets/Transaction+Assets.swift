package import Accounts
package import Database

extension Transaction {
    package func moveRows(from guest: String, to target: String) throws -> [RowMove] {
        let catalogue = try wholeCatalogue()
        if let problem = catalogue.problems.first(where: \.isBlocking) {
            throw MergeBlocked(table: problem.table, reason: problem.reason)
        }
        guard !catalogue.assets.isEmpty else { return [] }
        let numbers = try (number(of: guest), number(of: target))
        return try move(catalogue.assets, of: catalogue) { key in
            switch key {
            case .uid: (.text(guest), .text(target))
            case .id: numbers.0.flatMap { from in numbers.1.map { (.integer(from), .integer($0)) } }
            }
        }
    }

    /// Whether a merge may change tables of the operator's, and must therefore not share a transaction with other
    /// closures.
    package func hasAssetTables() throws -> Bool {
        let catalogue = try assets.catalogue(self)
        return !catalogue.assets.isEmpty || !assets.settings.tables.isEmpty
    }

    /// Moves the rows of the last 100 merged guests that are still in attached files to the users they were merged
    /// into, in case a crash came between the commits of the database and of the files.
    ///
    /// The database itself commits first, so it determines what the attached files must catch up with.
    ///
    /// - Returns: the moves that were still missing.
    /// - Throws: ``MergeBlocked`` if an attached file cannot be opened, or if a table does not allow a move.
    package func finishMoves() throws -> [RowMove] {
        guard !assets.settings.attachedInUse.isEmpty else { return [] }
        let merged = try all(
            "SELECT uid, merged_into FROM former_users WHERE merged_into IS NOT NULL ORDER BY id DESC LIMIT 100"
        ) { row in (guest: try row.text(0), target: try row.text(1)) }
        guard !merged.isEmpty else { return [] }
        let catalogue = try wholeCatalogue()
        let others = catalogue.assets.filter { $0.table.schema != TableName.main }
        return try merged.flatMap { guest, target in
            try move(others, of: catalogue) { key in key == .uid ? (.text(guest), .text(target)) : nil }
        }
    }

    private func move(
        _ assets: [Asset],
        of catalogue: AssetCatalogue,
        keys: (Asset.Key) -> (SQLValue, SQLValue)?
    ) throws -> [RowMove] {
        try deferForeignKeys()
        let mover = RowMover(catalogue, in: self)
        for asset in assets {
            if let (old, _) = keys(asset.key) { try mover.count(asset, of: old) }
        }
        for asset in assets {
            if let (old, new) = keys(asset.key) { try mover.move(asset, from: old, to: new) }
        }
        for asset in assets {
            if let (old, _) = keys(asset.key) { try mover.checkNothing(isLeftOf: old, in: asset) }
        }
        try mover.checkConstraints()
        return mover.moves
    }

    private func number(of uid: String) throws -> Int64? {
        try first("SELECT id FROM users WHERE uid = \(uid)") { row in try row.integer(0) }
    }

    /// Returns the catalogue of the database and the attached files.
    ///
    /// Attaches each file and locks it for writing.
    ///
    /// - Throws: ``MergeBlocked`` if a file cannot be opened or has not the declared table or column.
    private func wholeCatalogue() throws -> AssetCatalogue {
        let settings = assets.settings
        let names = settings.attachedInUse
        guard !names.isEmpty else { return try assets.catalogue(self) }
        for name in names {
            do throws(DatabaseError) {
                try attach(settings.attached[name] ?? "", as: name)
            } catch {
                throw MergeBlocked(table: name, reason: "its file cannot be opened: \(error.message)")
            }
        }
        // Locks each file before reading it, because other programs may write to it.
        for declared in settings.tables {
            guard let name = declared.attached else { continue }
            let table = TableName(schema: name, name: declared.table)
            let lock: SQL = """
                UPDATE \(table.sql) SET \(identifier: declared.column) = \(identifier: declared.column) WHERE 0 = 1
                """
            do throws(DatabaseError) {
                try execute(lock)
            } catch {
                guard error.kind.isOfTheSchema else { throw error }
                throw MergeBlocked(table: table.text, reason: error.message)
            }
        }
        return try AssetCatalogue(settings, attached: names, in: self)
    }
}

extension AssetSettings {
    /// The names of the attached files that contain declared tables, sorted.
    var attachedInUse: [String] { Set(tables.compactMap(\.attached)).sorted() }
}
