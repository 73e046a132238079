package import Database

extension Transaction {
    package func blockers(of uids: [String]) throws -> [String: String] {
        let catalogue = try assets.catalogue(self)
        guard catalogue.mayForbidDeletion, !uids.isEmpty else { return [:] }
        var blocked = try rowsThatWouldRollBack(catalogue, of: uids)
        let rest = uids.filter { blocked[$0] == nil }
        // Usually no user is blocked, and one rolled-back trial proves it for all of them.
        if try isDeletable(rest) { return blocked }
        for uid in rest where try !isDeletable([uid]) { blocked[uid] = try blocker(of: uid, catalogue) }
        return blocked
    }

    /// Returns a pair for each foreign key of the operator's tables that may forbid the deletion of a user: the name of
    /// its table, and the SQL condition that a row of that table depends on the user `u`.
    func keepers() throws -> [(table: String, containsUser: SQL)] {
        try assets.catalogue(self).reaches.filter(\.mayForbid).compactMap { reach in
            reach.path.last.map { ($0.child.text, reach.containsUser) }
        }
    }

    /// Whether all of the users can be deleted, as far as foreign keys, triggers and deferred constraints are
    /// concerned.
    ///
    /// Deletes them in a savepoint, which is then rolled back.
    private func isDeletable(_ uids: [String]) throws -> Bool {
        guard !uids.isEmpty else { return true }
        do {
            return try dryRun { transaction in
                for uid in uids { try transaction.execute("DELETE FROM users WHERE uid = \(uid)") }
                return try transaction.unresolvedConstraint() == nil
            }
        } catch let error as DatabaseError where error.kind.isOfTheSchema && failure == nil {
            return false
        }
    }

    /// Returns the name of the table that most likely prevents the deletion of a user: one with rows of the user,
    /// preferably with a foreign key that may forbid it; `unknown` if there is none.
    private func blocker(of uid: String, _ catalogue: AssetCatalogue) throws -> String {
        let forbidding = catalogue.reaches.filter(\.mayForbid)
        for reach in forbidding + catalogue.reaches.filter({ !$0.mayForbid }) {
            if try has(reach, [uid]).contains(uid), let table = reach.path.last?.child { return table.text }
        }
        return catalogue.outsiders.first ?? "unknown"
    }

    /// Returns the users with rows in a table whose triggers may roll back the whole transaction, each with the table's
    /// name.
    ///
    /// Their deletion cannot be tried.
    private func rowsThatWouldRollBack(_ catalogue: AssetCatalogue, of uids: [String]) throws -> [String: String] {
        var found: [String: String] = [:]
        for reach in catalogue.reaches {
            guard let table = reach.path.last?.child, catalogue.tables[table]?.mayRollBack == true else { continue }
            for uid in try has(reach, uids) { found[uid] = found[uid] ?? table.text }
        }
        return found
    }

    /// Returns those of the users who have a row in the table at the end of this chain of foreign keys.
    private func has(_ reach: AssetCatalogue.Reach, _ uids: [String]) throws -> [String] {
        try all("SELECT u.uid FROM users u WHERE u.uid IN \(in: uids) AND \(reach.containsUser)") { row in
            try row.text(0)
        }
    }
}

extension AssetCatalogue.Reach {
    /// The SQL condition that the table at the end of the chain has a row that depends on the user `u`.
    fileprivate var containsUser: SQL {
        let steps = Array(path.enumerated())
        let tables = SQL.joined(Array(children.enumerated()), by: ", ") { place, child in
            "\(child.sql) AS \(identifier: "t\(place)")"
        }
        let conditions = SQL.all(steps) { place, key in
            SQL.all(key.pairs) { pair in
                let (child, parent) = ("t\(place)", place == 0 ? "u" : "t\(place - 1)")
                let collation: SQL = children[place].column(pair.column)?.collation.map { " COLLATE \($0)" } ?? ""
                return
                    "\(identifier: child).\(identifier: pair.column) = \(identifier: parent).\(identifier: pair.parent)\(collation)"
            }
        }
        return "EXISTS (SELECT 1 FROM \(tables) WHERE \(conditions))"
    }
}

extension AssetCatalogue {
    /// Whether any of the operator's tables could prevent the deletion of a user, by a foreign key or by a trigger.
    fileprivate var mayForbidDeletion: Bool {
        !outsiders.isEmpty
            || reaches.contains { reach in
                reach.mayForbid || reach.path.last.flatMap { tables[$0.child]?.hasTriggers } == true
            }
    }
}
