package import Accounts
package import Database

extension Transaction {
    package func raise<Answers>(
        _ uses: [CounterUse],
        of address: String,
        unlessKnown knownClient: String,
        since time: Int64,
        beside questions: (Transaction) throws -> Answers
    ) throws -> (RaisedCounters, Answers) {
        let isKnown: SQL = """
            EXISTS (SELECT 1 FROM known_clients WHERE address = \(address) AND client = \(knownClient)
                AND last_seen_at > \(time))
            """
        // Sorted, so that two transactions cannot deadlock.
        let rows = uses.sorted { $0.name < $1.name }.map { use -> SQL in
            switch use.amount {
            case .one: "(\(use.name), \(use.windowStart), 1)"
            case .oneOfStranger: "(\(use.name), \(use.windowStart), CASE WHEN \(isKnown) THEN 0 ELSE 1 END)"
            }
        }
        guard let first = rows.first else {
            return (RaisedCounters(used: [:], isKnownClient: false), try questions(self))
        }
        try share([address], .requestedAddress)
        let values = rows.dropFirst().reduce(first) { "\($0), \($1)" }
        let (counters, answers) = try all(
            """
            INSERT INTO limits (name, window_start, used) VALUES \(values)
            ON CONFLICT (name) DO UPDATE SET \(Self.rise)
            RETURNING name, used, CASE WHEN \(isKnown) THEN 1 ELSE 0 END
            """,
            { row in (name: try row.text(0), used: try row.integer(1), isKnown: try row.integer(2) == 1) },
            beside: questions
        )
        let used = Dictionary(counters.map { ($0.name, $0.used) }) { $1 }
        return (RaisedCounters(used: used, isKnownClient: counters.first?.isKnown ?? false), answers)
    }

    package func raise(_ use: CounterUse) throws -> Int64 {
        try raise(use.name, by: 1, windowStart: use.windowStart)
    }

    package func counters(_ names: [String]) throws -> [RunningCounter] {
        try all("SELECT name, window_start, used FROM limits WHERE name\(dialect.isAny(of: names))") { row in
            RunningCounter(name: try row.text(0), since: try row.integer(1), used: try row.integer(2))
        }
    }

    package func restart(_ name: String, ifBegunBy time: Int64) throws {
        try enqueue(
            """
            INSERT INTO limits (name, window_start, used) VALUES (\(name), \(now), 0)
            ON CONFLICT (name) DO UPDATE SET window_start = excluded.window_start, used = 0
            WHERE limits.window_start <= \(time)
            """
        )
    }

    package func count(_ name: String, by uses: Int64, in window: Int64) throws -> (used: Int64, untilReset: Int64) {
        let start = now - now % window
        return (try raise(name, by: uses, windowStart: start), start + window - now)
    }

    private func raise(_ name: String, by uses: Int64, windowStart start: Int64) throws -> Int64 {
        try first(
            """
            INSERT INTO limits (name, window_start, used) VALUES (\(name), \(start), \(uses))
            ON CONFLICT (name) DO UPDATE SET \(Self.rise)
            RETURNING used
            """
        ) { row in try row.integer(0) } ?? 0
    }

    package func countUse(_ name: String, in window: Int64) throws {
        try enqueue(
            """
            INSERT INTO limits (name, window_start, used) VALUES (\(name), \(now - now % window), 1)
            ON CONFLICT (name) DO UPDATE SET \(Self.rise)
            """
        )
    }

    /// The SQL assignments that raise an existing counter, or restart it if the new use begins a later window.
    ///
    /// A node whose clock is slightly behind counts into the window that other nodes have started.
    static let rise: SQL = """
        used = CASE WHEN limits.window_start >= excluded.window_start
            THEN limits.used + excluded.used ELSE excluded.used END,
        window_start = CASE WHEN limits.window_start > excluded.window_start
            THEN limits.window_start ELSE excluded.window_start END
        """

    package func used(_ name: String, in window: Int64) throws -> (used: Int64, untilReset: Int64) {
        let start = now - now % window
        let used = try first("SELECT used FROM limits WHERE name = \(name) AND window_start >= \(start)") { row in
            try row.integer(0)
        }
        return (used ?? 0, start + window - now)
    }
}
