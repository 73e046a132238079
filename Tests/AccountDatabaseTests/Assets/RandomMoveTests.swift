import Accounts
import DatabaseHarness
import Testing

@testable import AccountDatabase
@testable import Database

/// Small random schemas and rows: a merge moves everything the guest has, loses nothing of the target's, and counts
/// correctly, or it fails and changes nothing.
@Suite("Random row moves") struct RandomMoveTests {
    /// A generator whose seed identifies the case.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
        mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &self)]
        }
    }

    private struct Table {
        let name: String
        let owners: [String]
        let definition: String
        var inserts: [String]
    }

    private static let actions = [
        "", "", "ON DELETE CASCADE", "ON DELETE CASCADE ON UPDATE CASCADE", "ON DELETE RESTRICT",
    ]

    /// Makes one table; every row has a `tag` that is unique across all tables.
    private static func table(_ number: Int, among tables: [Table], _ random: inout Seeded) -> Table {
        let name = "t\(number)"
        let isComposite = random.chance(40)
        var owners = random.chance(80) || isComposite ? ["uid"] : []
        if random.chance(25) { owners.append("second") }
        var columns = ["tag TEXT", "n INT", "x INT"]
        var constraints: [String] = []
        for owner in owners {
            let isNull = owner == "second" ? "" : " NOT NULL"
            let action = random.pick(actions)
            let isDeferred = random.chance(20) ? " DEFERRABLE INITIALLY DEFERRED" : ""
            columns.append("\(owner) TEXT\(isNull) REFERENCES users (uid) \(action)\(isDeferred)")
        }
        columns[1] = isComposite ? "n INT NOT NULL" : "n INTEGER PRIMARY KEY"
        if isComposite { constraints.append("PRIMARY KEY (uid, n)") }
        let parent = tables.isEmpty || random.chance(30) ? nil : random.pick(tables)
        var parentOfOwn: String?
        if let parent {
            let isPair = parent.definition.contains("PRIMARY KEY (uid, n)")
            columns.append("p INT")
            if isPair, owners.contains("uid") {
                parentOfOwn = parent.name
                constraints.append("FOREIGN KEY (uid, p) REFERENCES \(parent.name) (uid, n) \(random.pick(actions))")
            } else if isPair {
                columns.append("pu TEXT")
                constraints.append("FOREIGN KEY (pu, p) REFERENCES \(parent.name) (uid, n) \(random.pick(actions))")
            } else {
                constraints.append("FOREIGN KEY (p) REFERENCES \(parent.name) (n) \(random.pick(actions))")
            }
            if random.chance(40) { constraints.append("UNIQUE (p, x)") }
        }
        if owners.contains("uid"), random.chance(60) {
            constraints.append(random.chance(30) ? "UNIQUE (uid)" : "UNIQUE (uid, x)")
        }
        var tail = isComposite && random.chance(40) ? either(" WITHOUT ROWID", "") : ""
        tail += ";"
        if owners.contains("uid"), random.chance(15) {
            tail += "CREATE UNIQUE INDEX \(name)_some ON \(name) (uid, x) WHERE n % 2 = 0;"
        }
        var inserts: [String] = []
        for row in 0..<Int.random(in: 0...14, using: &random) {
            let uid = random.pick(["guest", "guest", "target", "target", "other"])
            var names = ["tag", "n", "x"]
            var values = [
                "'\(name)-\(row)'", "\(isComposite ? Int.random(in: 0...4, using: &random) : row)",
                random.chance(15) ? "NULL" : "\(Int.random(in: 0...3, using: &random))",
            ]
            for owner in owners {
                names.append(owner)
                let value = owner == "uid" ? uid : random.pick(["guest", "target", "other"])
                values.append(owner == "second" && random.chance(20) ? "NULL" : "'\(value)'")
            }
            if let parent {
                let mine = parentOfOwn == nil ? "" : "WHERE uid = '\(uid)'"
                let skip = Int.random(in: 0...5, using: &random)
                names.append("p")
                values.append("(SELECT n FROM \(parent.name) \(mine) ORDER BY tag LIMIT 1 OFFSET \(skip))")
                if columns.contains("pu TEXT") {
                    names.append("pu")
                    values.append("(SELECT uid FROM \(parent.name) ORDER BY tag LIMIT 1 OFFSET \(skip))")
                }
            }
            inserts.append(
                """
                INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))
                ON CONFLICT DO NOTHING;
                """
            )
        }
        let definition = "CREATE TABLE \(name) (\((columns + constraints).joined(separator: ", ")))\(tail)"
        return Table(
            name: name,
            owners: owners + (columns.contains("pu TEXT") ? ["pu"] : []),
            definition: definition,
            inserts: inserts
        )
    }

    @Test(arguments: 0..<(isFullDepth ? 40 : 4))
    func `everything moves and nothing is lost, or nothing happens`(block: Int) async throws {
        var merged = 0
        let count = 25
        // Creating a database is expensive in PostgreSQL.
        let world = try AssetWorld("")
        defer { world.remove() }
        for seed in (block * count)..<((block + 1) * count) {
            var random = Seeded(state: UInt64(seed) &* 7919)
            var tables: [Table] = []
            for number in 0..<Int.random(in: 1...4, using: &random) {
                tables.append(Self.table(number, among: tables, &random))
            }
            if try await Self.check(tables, seed, world) { merged += 1 }
        }
        #expect(merged > count / 2, "most of them can be merged: \(merged) of \(count)")
    }

    /// - Returns: whether the merge was made.
    private static func check(_ tables: [Table], _ seed: Int, _ world: AssetWorld) async throws -> Bool {
        let script = tables.map { ([$0.definition] + $0.inserts).joined(separator: "\n") }.joined(separator: "\n")
        try world.renew(dropping: ["t3", "t2", "t1", "t0"], script)
        func tags(_ table: Table, _ condition: String) throws -> Set<String> {
            Set(try world.rows("SELECT tag FROM \(table.name) WHERE \(condition)"))
        }
        func mentions(_ uid: String, _ table: Table) -> String {
            table.owners.isEmpty ? "1 = 0" : table.owners.map { "\($0) = '\(uid)'" }.joined(separator: " OR ")
        }
        let before = try world.everything()
        var all: [String: Set<String>] = [:]
        var guests: [String: Set<String>] = [:]
        var owned: [String: Set<String>] = [:]
        for table in tables {
            all[table.name] = try tags(table, "1 = 1")
            guests[table.name] = try tags(table, mentions("guest", table))
            for owner in table.owners { owned["\(table.name).\(owner)"] = try tags(table, "\(owner) = 'guest'") }
        }
        let moves: [RowMove]
        do {
            moves = try await world.merge()
        } catch is MergeBlocked {
            #expect(try world.everything() == before, "seed \(seed)\n\(script)")
            return false
        }
        let context: Comment = "seed \(seed) \(moves.map(\.text))\n\(script)"
        #expect(try world.brokenReferences().isEmpty, context)
        var lost = 0
        // A row that refers to a guest's row may be deleted with it, if it conflicts with one that refers to the
        // target's.
        var hasGuests = false
        for table in tables {
            #expect(try tags(table, mentions("guest", table)).isEmpty, context)
            let now = try tags(table, "1 = 1")
            let gone = (all[table.name] ?? []).subtracting(now)
            lost += gone.count
            hasGuests = hasGuests || !(guests[table.name] ?? []).isEmpty
            if !table.owners.isEmpty && !table.definition.contains("UNIQUE (p, x)")
                && !table.definition.contains("pu TEXT")
            {
                #expect(gone.isSubset(of: guests[table.name] ?? []), context)
            }
            for owner in table.owners where owner != "pu" {
                let had = owned["\(table.name).\(owner)"] ?? []
                let move = moves.first { $0.table == table.name && $0.column == owner }
                #expect(move.map { Int($0.moved) } ?? 0 == had.intersection(now).count, context)
            }
        }
        #expect(moves.reduce(0) { $0 + Int($1.dropped) } == lost, context)
        #expect(hasGuests || lost == 0, context)
        return true
    }
}
