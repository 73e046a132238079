package import Accounts
package import Database

extension Transaction {
    package func raise<Answers>(
        _ rises: [CounterRise],
        since time: Int64,
        beside questions: (Transaction) throws -> Answers
    ) throws -> (SummedCounters, Answers) {
        guard dialect == .postgreSQL else {
            throw DatabaseError(.misuse, message: "counters are added up on PostgreSQL only")
        }
        try limitWaits()
        try share(rises.map(\.address), .requestedAddress)
        let (rows, answers) = try all(
            Self.raising(rises, since: time),
            { row in (name: try row.optionalText(0), number: try row.integer(1)) },
            beside: questions
        )
        var used: [String: Int64] = [:], known: Set<Int> = []
        for row in rows {
            if let name = row.name { used[name] = row.number } else { known.insert(Int(row.number)) }
        }
        return (SummedCounters(used: used, known: known), answers)
    }

    /// Returns the statement that raises counters by their sums, in the order of their names, and finds the requests of
    /// known clients.
    private static func raising(_ rises: [CounterRise], since time: Int64) -> SQL {
        let uses = rises.enumerated().flatMap { place, rise in rise.uses.map { (place: Int64(place), use: $0) } }
        let ofStranger = uses.map { use -> Int64 in
            switch use.use.amount {
            case .one: 0
            case .oneOfStranger: 1
            }
        }
        return """
            WITH uses AS MATERIALIZED (
                SELECT * FROM unnest(\(Dialect.array(uses.map(\.use.name))), \(Dialect.array(uses.map(\.use.windowStart))),
                    \(Dialect.array(uses.map(\.place))), \(Dialect.array(ofStranger))) AS u (name, since, place, of_stranger)
            ), known AS MATERIALIZED (
                SELECT a.place - 1 AS place
                FROM unnest(\(Dialect.array(rises.map(\.address))), \(Dialect.array(rises.map(\.knownClient))))
                    WITH ORDINALITY AS a (address, client, place)
                WHERE EXISTS (SELECT 1 FROM known_clients k
                    WHERE k.address = a.address AND k.client = a.client AND k.last_seen_at > \(time))
            ), raised AS (
                INSERT INTO limits (name, window_start, used)
                SELECT u.name, max(u.since),
                    sum(CASE WHEN u.of_stranger = 1 AND u.place IN (SELECT place FROM known) THEN 0 ELSE 1 END)
                FROM uses u GROUP BY u.name ORDER BY u.name COLLATE "C"
                ON CONFLICT (name) DO UPDATE SET \(rise)
                RETURNING name, used
            )
            SELECT name, used FROM raised UNION ALL SELECT NULL, place FROM known
            """
    }

    package func giveBack(_ uses: [String: Int64]) throws {
        for (name, amount) in uses.sorted(by: { $0.key < $1.key }) where amount > 0 {
            try enqueue("UPDATE limits SET used = used - \(amount) WHERE name = \(name)")
        }
    }
}
