extension Transaction {
    package func blockers(of uids: [String]) throws -> [String: String] {
        let catalogue = try assets.catalogue(self)
        guard catalogue.mayForbidDeletion, !uids.isEmpty else { return [:] }
        var blocked = try rowsThatWouldRollBack(catalogue, of: uids)
        let rest = uids.filter { blocked[$0] == nil }
        // Usually nobody is blocked, and one rehearsal tells that of all.
        if try isDeletable(rest) { return blocked }
        for uid in rest where try !isDeletable([uid]) { blocked[uid] = try blocker(of: uid, catalogue) }
        return blocked
    }

    /// The ways on which rows of the operator's tables forbid a deletion, to count users in one query by.
    func keepers() throws -> [(table: String, holdsUser: SQL)] {
        try assets.catalogue(self).reaches.filter(\.mayForbid).compactMap { reach in
            reach.path.last.map { ($0.child.text, reach.holdsUser) }
        }
    }

    /// Whether the users can be deleted one after the other, tried out.
    private func isDeletable(_ uids: [String]) throws -> Bool {
        guard !uids.isEmpty else { return true }
        do {
            return try rehearse { transaction in
                for uid in uids { try transaction.execute("DELETE FROM users WHERE uid = \(uid)") }
                return try transaction.unresolvedConstraint() == nil
            }
        } catch let error as DatabaseError where error.kind.isOfTheSchema && failure == nil {
            return false
        }
    }

    /// The table that stands in the way of a deletion.
    private func blocker(of uid: String, _ catalogue: AssetCatalogue) throws -> String {
        let forbidding = catalogue.reaches.filter(\.mayForbid)
        for reach in forbidding + catalogue.reaches.filter({ !$0.mayForbid }) {
            if try has(reach, [uid]).contains(uid), let table = reach.path.last?.child { return table.text }
        }
        return catalogue.outsiders.first ?? "unknown"
    }

    /// Users with rows in a table whose triggers may end the whole transaction: there nothing can be tried out.
    private func rowsThatWouldRollBack(_ catalogue: AssetCatalogue, of uids: [String]) throws -> [String: String] {
        var found: [String: String] = [:]
        for reach in catalogue.reaches {
            guard let table = reach.path.last?.child, catalogue.tables[table]?.mayRollBack == true else { continue }
            for uid in try has(reach, uids) { found[uid] = found[uid] ?? table.text }
        }
        return found
    }

    /// Those of the users whose deletion reaches a table that way.
    private func has(_ reach: AssetCatalogue.Reach, _ uids: [String]) throws -> [String] {
        try all("SELECT u.uid FROM users u WHERE u.uid IN \(in: uids) AND \(reach.holdsUser)") { row in
            try row.text(0)
        }
    }
}

extension AssetCatalogue.Reach {
    /// Whether the table at the end has a row that hangs on the user `u`.
    fileprivate var holdsUser: SQL {
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
    /// Whether anything of the operator's could keep a user from being deleted.
    fileprivate var mayForbidDeletion: Bool {
        !outsiders.isEmpty
            || reaches.contains { reach in
                reach.mayForbid || reach.path.last.flatMap { tables[$0.child]?.hasTriggers } == true
            }
    }
}

extension DatabaseError.Kind {
    /// Whether the operator's schema refused something, or cannot be worked with.
    var isOfTheSchema: Bool {
        switch self {
        case .constraint, .misuse, .invalidText, .readOnly: true
        case .busy, .timeout, .full, .corrupt, .io, .closed, .overloaded, .schema, .internal, .conflict, .unavailable,
            .outcomeUnknown:
            false
        }
    }
}
